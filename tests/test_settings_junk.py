"""Values and names that can't be used: what falls back with a warning, what refuses to start, and how it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import ConfigError
from tests.fakes.settings import Reader, reader


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    return reader(tmp_path)


# -- junk -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("JARVIS_RUN__TURNS", "many"),
        ("JARVIS_RUN__TURNS", "0"),
        ("JARVIS_RUN__TURNS", "1.5"),
        ("JARVIS_RUN__HANDOFFS", "-1"),
        ("JARVIS_RUN__TOOL_TIMEOUT_S", "inf"),
        ("JARVIS_RUN__TOOL_TIMEOUT_S", "nan"),
        ("JARVIS_MODEL__TEXT_CALLS", "perhaps"),
        ("JARVIS_MODEL__TIER", "huge"),
        ("JARVIS_LOG__LEVEL", "loud"),
        ("JARVIS_GUARDS__PANEL", "theirs"),
        ("JARVIS_GUARDS__CRITIC__ENABLED", "\u2713"),
        ("JARVIS_TOOLS__OVERRIDES", "{shell:"),
        ("JARVIS_TOOLS__MCP", "[]"),
        ("JARVIS_TIMEZONE", "Mars/Olympus"),
        ("JARVIS_TIMEZONE", "../../etc/passwd"),
    ],
)
def test_junk_in_a_limit_gives_the_default_and_one_warning(read: Reader, variable: str, text: str) -> None:
    plain, loaded = read(), read({variable: text})
    assert len(loaded.warnings) == 1
    assert loaded.warnings[0].startswith(f"{variable} must be")
    assert loaded.settings.model_dump() == plain.settings.model_dump()
    assert loaded.sources == plain.sources


def test_each_junk_value_has_its_own_warning(read: Reader) -> None:
    loaded = read({"JARVIS_RUN__TURNS": "many", "JARVIS_MODEL__PARALLEL": "x", "JARVIS_RUN__HANDOFFS": "2"})
    assert len(loaded.warnings) == 2
    assert loaded.settings.run.handoffs == 2


@pytest.mark.parametrize(
    ("variable", "text", "says"),
    [
        ("JARVIS_ACCESS__OWNER", "@alice", "JARVIS_ACCESS__OWNER must be a numeric id; '@alice' is a name."),
        ("JARVIS_ACCESS__OWNER", "-5", "JARVIS_ACCESS__OWNER must be the numeric id of a person"),
        ("JARVIS_ACCESS__OWNER", "0", "JARVIS_ACCESS__OWNER must be the numeric id of a person"),
        ("JARVIS_ACCESS__OWNER", "1,2", "'1,2' is not one"),
        ("JARVIS_ACCESS__ADMINS", "1,bob", "'bob' is a name"),
        ("JARVIS_ACCESS__CHATS", "-100;5", "JARVIS_ACCESS__CHATS"),
        ("JARVIS_ACCESS__CHATS", "\u0661\u0662", "JARVIS_ACCESS__CHATS"),
        ("JARVIS_ACCESS__OPS_CHAT", "-100:", "JARVIS_ACCESS__OPS_CHAT"),
        ("JARVIS_RUN__MODE", "fulll", "must be sandbox, ask or full"),
        ("JARVIS_RUN__WORKSPACE", "work", "absolute path"),
        ("JARVIS_RUN__WORKSPACE", "~/.jarvis/w", "lies inside JARVIS_HOME"),
        ("JARVIS_RUN__WORKSPACE_PER_CHAT", "maybe", "must be on or off"),
        ("JARVIS_HOME", "relative", "JARVIS_HOME must be an absolute path"),
        ("JARVIS_TELEGRAM__MODE", "push", "must be polling or webhook"),
        ("JARVIS_TELEGRAM__WEBHOOK_SECRET", "has blanks in it", "A-Z"),
        ("JARVIS_TELEGRAM__API_URL", "api.telegram.org", "http:// or https://"),
        ("JARVIS_MODEL__BASE_URL", "localhost:11434", "http:// or https://"),
        ("JARVIS_STORE__URL", "mysql://x", "sqlite:/// or postgresql://"),
        ("OPENAI_BASE_URL", "nowhere", "JARVIS_MODEL__BASE_URL"),
    ],
)
def test_junk_in_what_guards_access_refuses_to_start(read: Reader, variable: str, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read({variable: text})
    assert says in str(caught.value)
    assert caught.value.exit_code == 2


def test_all_refusals_are_told_at_once(read: Reader) -> None:
    with pytest.raises(ConfigError, match=r"ACCESS__OWNER.*RUN__MODE"):
        read({"JARVIS_ACCESS__OWNER": "x", "JARVIS_RUN__MODE": "x"})


@pytest.mark.parametrize("variable", ["JARVIS_TELEGRAM__TOKEN", "JARVIS_TELEGRAM__WEBHOOK_SECRET", "JARVIS_STORE__URL"])
def test_a_refusal_does_not_print_the_secret(read: Reader, variable: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read({variable: "s3cret value"})
    assert "s3cret" not in str(caught.value)


# -- unknown names, files -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("JARVIS_RUN__TURN", "did you mean JARVIS_RUN__TURNS?"),
        ("JARVIS_TOKEN", "did you mean JARVIS_TELEGRAM__TOKEN?"),
        ("JARVIS_GUARDS__LOOP__ENABLED", "did you mean JARVIS_GUARDS__LOOPS__ENABLED?"),
        ("JARVIS_Q", "`jarvis settings` lists"),
    ],
)
def test_an_unknown_name_warns_with_the_nearest(read: Reader, variable: str, hint: str) -> None:
    (warning,) = read({variable: "5"}).warnings
    assert warning.startswith(f"{variable} is not a setting") and hint in warning


def test_an_unknown_name_in_the_file_warns_too(read: Reader) -> None:
    (warning,) = read(toml="[run]\nturn = 5").warnings
    assert "config.toml" in warning and "JARVIS_RUN__TURNS" in warning


def test_a_guard_that_only_its_file_knows_has_a_switch(read: Reader) -> None:
    loaded = read({"JARVIS_GUARDS__POLICY__ENABLED": "off"})
    assert (loaded.warnings, loaded.settings.guards.enabled("policy")) == ((), False)
    assert loaded.sources["guards.policy.enabled"] == "env"


@pytest.mark.parametrize("toml", ["[run", "turns =", "\udcff"])
def test_a_broken_file_refuses_to_start_and_is_not_quoted(read: Reader, tmp_path: Path, toml: str) -> None:
    (tmp_path / ".jarvis").mkdir()
    (tmp_path / ".jarvis" / "config.toml").write_bytes(toml.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match=r"config\.toml is not valid TOML"):
        read()


def test_a_section_that_is_no_table_is_junk(read: Reader) -> None:
    assert len(read(toml='log = "loud"').warnings) == 1
    assert len(read(toml='access = "me"').warnings) == 1


def test_a_file_that_others_can_read_is_told(read: Reader, tmp_path: Path) -> None:
    read(toml="[run]\nturns = 5")
    (tmp_path / ".jarvis" / "config.toml").chmod(0o640)
    (warning,) = read().warnings
    assert "chmod 600" in warning
