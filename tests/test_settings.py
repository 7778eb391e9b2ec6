"""Settings: which source wins, what junk does, what is missing, and that secrets never show."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.settings import Loaded, missing, nothing_set, render, secrets
from tests.fakes.settings import Reader, reader

TOKEN = "1000:TEST-token"


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    return reader(tmp_path)


# -- defaults, as the specification has them ------------------------------------------------------------------------
DEFAULTS = {
    "telegram.api_url": "https://api.telegram.org",
    "telegram.mode": "polling",
    "model.context_tokens": 32768,
    "model.first_byte_timeout_s": 60,
    "model.idle_timeout_s": 60,
    "model.total_timeout_s": 600,
    "model.parallel": 4,
    "model.text_calls": False,
    "access.owner": None,
    "access.chats": (),
    "run.workspace_per_chat": False,
    "run.prompt_file": None,
    "run.turns": 20,
    "run.handoffs": 5,
    "run.mode": "sandbox",
    "run.tool_timeout_s": 300,
    "run.stale_after_s": 900,
    "retention.bulk_h": 24,
    "retention.conversation_d": 90,
    "log.format": "console",
    "tools.search": "none",
    "guards.panel": "ours",
    "guards.repeated.at": 3,
    "guards.streak.at": 3,
    "guards.critic.max_cycles": 2,
    "guards.critic.min_writes": 1,
    "guards.critic.timeout_s": 120,
    "guards.critic.max_tokens": 4096,
    "guards.critic.max_files": 60,
    "guards.critic.preview": 8000,
    "guards.world.every": 8,
    "guards.world.writes": 5,
    "guards.world.max_files": 200,
    "guards.budget.day_money": None,
}


def at(loaded: Loaded, name: str) -> object:
    value: object = loaded.settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(("name", "value"), DEFAULTS.items())
def test_defaults(read: Reader, name: str, value: object) -> None:
    loaded = read()
    assert at(loaded, name) == value
    assert loaded.sources[name] == "default"
    assert loaded.warnings == ()


def test_folders_are_in_the_home_of_the_environment(read: Reader, tmp_path: Path) -> None:
    settings = read().settings
    assert (settings.home, settings.run.workspace) == (tmp_path / ".jarvis", tmp_path / "jarvis-workspace")
    assert read({"JARVIS_RUN__WORKSPACE": "~/w"}).settings.run.workspace == tmp_path / "w"


# -- who wins -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("environ", "toml", "value", "source"),
    [
        ({}, "", 20, "default"),
        ({}, "[run]\nturns = 7", 7, "config.toml"),
        ({}, "[RUN]\nTURNS = 7", 7, "config.toml"),
        ({"JARVIS_RUN__TURNS": "9"}, "[run]\nturns = 7", 9, "env"),
        ({"JARVIS_RUN__TURNS": " 9\n"}, "", 9, "env"),
        ({"JARVIS_RUN__TURNS": ""}, "[run]\nturns = 7", 7, "config.toml"),
    ],
)
def test_environment_over_file_over_default(
    read: Reader, environ: dict[str, str], toml: str, value: int, source: str
) -> None:
    loaded = read(environ, toml)
    assert (loaded.settings.run.turns, loaded.sources["run.turns"]) == (value, source)


@pytest.mark.parametrize(
    ("environ", "toml", "value", "source"),
    [
        ({"TELEGRAM_BOT_TOKEN": "1:a"}, "", "1:a", "env TELEGRAM_BOT_TOKEN"),
        ({"TELEGRAM_BOT_TOKEN": "1:a", "JARVIS_TELEGRAM__TOKEN": "2:b"}, "", "2:b", "env"),
        ({"TELEGRAM_BOT_TOKEN": "1:a", "JARVIS_TELEGRAM__TOKEN": ""}, "", "1:a", "env TELEGRAM_BOT_TOKEN"),
        ({"TELEGRAM_BOT_TOKEN": "1:a"}, '[telegram]\ntoken = "3:c"', "3:c", "config.toml"),
    ],
)
def test_names_of_others_count_where_ours_are_unset(
    read: Reader, environ: dict[str, str], toml: str, value: str, source: str
) -> None:
    loaded = read(environ, toml)
    assert (loaded.settings.telegram.token.get_secret_value(), loaded.sources["telegram.token"]) == (value, source)


@pytest.mark.parametrize(
    ("text", "toml", "value"),
    [("1, 2,3", "", (1, 2, 3)), (None, "[access]\nadmins = [4, 5]", (4, 5)), ("", "[access]\nadmins = [4]", ())],
)
def test_lists_of_people(read: Reader, text: str | None, toml: str, value: tuple[int, ...]) -> None:
    environ = {} if text is None else {"JARVIS_ACCESS__ADMINS": text}
    assert read(environ, toml).settings.access.admins == value


# -- what is missing ------------------------------------------------------------------------------------------------
T, B, K, N = "JARVIS_TELEGRAM__TOKEN", "JARVIS_MODEL__BASE_URL", "JARVIS_MODEL__API_KEY", "JARVIS_MODEL__NAME"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, [T, B, N]),
        ({T: TOKEN}, [B, N]),
        ({T: TOKEN, B: "http://x/v1"}, [N]),
        ({T: TOKEN, B: "http://x/v1", N: "m"}, []),
        ({T: TOKEN, "OPENAI_API_KEY": "sk-1", N: "m"}, []),
        ({B: "http://x/v1", N: "m"}, [T]),
    ],
)
def test_missing_settings_are_named(read: Reader, environ: dict[str, str], expected: list[str]) -> None:
    settings = read(environ).settings
    assert missing(settings) == expected
    assert nothing_set(settings) is (not environ)


def test_a_webhook_needs_its_address_and_secret(read: Reader) -> None:
    settings = read({T: TOKEN, B: "http://x", N: "m", "JARVIS_TELEGRAM__MODE": "webhook"}).settings
    assert missing(settings) == ["JARVIS_TELEGRAM__WEBHOOK_URL", "JARVIS_TELEGRAM__WEBHOOK_SECRET"]


# -- secrets --------------------------------------------------------------------------------------------------------
SECRET = {
    T: TOKEN,
    K: "sk-model-key",
    "JARVIS_TELEGRAM__WEBHOOK_SECRET": "hook-secret",
    "JARVIS_STORE__URL": "postgresql://u:p%40ssword@db/jarvis",
    "JARVIS_MODEL__BASE_URL": "https://me:basic-pass@models.example/v1",
    "JARVIS_TOOLS__MCP": '{"git": {"command": "git-mcp", "env": {"TOKEN": "mcp-token"}}}',
}
HIDDEN = {TOKEN, "sk-model-key", "hook-secret", "p%40ssword", "p@ssword", "basic-pass", "mcp-token"}


def test_every_secret_value_is_known(read: Reader) -> None:
    assert set(secrets(read(SECRET).settings)) == {*HIDDEN, SECRET["JARVIS_STORE__URL"]}


def test_secrets_show_nowhere(read: Reader) -> None:
    loaded = read(SECRET)
    for text in (repr(loaded.settings.telegram), repr(loaded.settings.store), render(loaded)):
        assert not [secret for secret in HIDDEN if secret in text]
    assert not [secret for secret in HIDDEN if secret in repr(loaded)]


def test_short_words_are_not_blacked_out(read: Reader) -> None:
    assert secrets(read({K: "none"}).settings) == ()


# -- what `jarvis settings` prints ----------------------------------------------------------------------------------
def test_the_whole_tree_is_printed_with_sources(read: Reader) -> None:
    loaded = read({**SECRET, "JARVIS_RUN__TURNS": "7", "JARVIS_ACCESS__OWNER": "42"}, "[log]\nformat = 'json'")
    lines = [" ".join(line.split()) for line in render(loaded).splitlines()]
    for expected in (
        "turns = 7 # env",
        'format = "json" # config.toml',
        "handoffs = 5 # default",
        "owner = 42 # env",
        "token = set (hidden) # env",
        "prompt_file = unset # default",
        "[guards.critic]",
    ):
        assert expected in lines
    assert len([line for line in lines if "=" in line and not line.startswith("#")]) == len(loaded.sources)
    assert len({line for line in lines if line.startswith("[")}) == len([x for x in lines if x.startswith("[")])
