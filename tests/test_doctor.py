"""`jarvis doctor`: each check at its borders, on folders, stores and fakes; and beside a bot that runs."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent.settings import Settings, load
from agent.store.migrate import packaged
from agent.store.peek import Peek, peek
from agent.store.sqlite import SqliteStore
from agent.tables import Person, Switch
from bot.doctor import Finding, Grade, context, exam, failed, host, people, remote, render
from bot.doctor.finding import fail, ok, warn
from tests.fakes.lab import Lab
from tests.fakes.model import DONE, KEY, MODEL, FakeModel, Http, Say, Sse, chunk, use
from tests.fakes.telegram import OWNER, TOKEN, FakeTelegram, Fault

OK, WARN, FAIL = Grade.OK, Grade.WARN, Grade.FAIL


def settings(tmp_path: Path, **env: str) -> Settings:
    names = {"HOME": str(tmp_path), "JARVIS_HOME": str(tmp_path / "home"), "JARVIS_RUN__WORKSPACE": str(tmp_path)}
    return load(names | {f"JARVIS_{name}": value for name, value in env.items()}).settings


def grades(findings: Any) -> dict[str, Grade]:
    return {finding.name: finding.grade for finding in findings}


# -- the report -----------------------------------------------------------------------------------------------------
def test_the_report_says_what_is_wrong_how_to_mend_it_and_the_sum() -> None:
    findings = [ok("home", "fine"), warn("user", "root", "Use another."), fail("token", "none", "Get one.")]
    assert render(findings).splitlines() == [
        "ok    home       fine",
        "warn  user       root",
        "                 → Use another.",
        "FAIL  token      none",
        "                 → Get one.",
        "",
        "1 ok, 1 to know, 1 to mend",
    ]
    assert failed(findings)
    assert not failed(findings[:2])


# -- this machine ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("mode", "grade"), [(0o700, OK), (0o500, OK), (0o710, FAIL), (0o701, FAIL), (0o777, FAIL)])
def test_a_home_that_others_can_enter(mode: int, grade: Grade, tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(mode)
    (found,) = host.home(folder)
    assert found.grade is grade
    assert found.mend == ("" if grade is OK else f"chmod 700 {folder}")


def test_a_home_that_is_none_yet_a_link_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").touch()
    assert [host.home(tmp_path / name)[0].grade for name in ("nowhere", "link", "file")] == [OK, FAIL, FAIL]


@pytest.mark.parametrize(("mode", "grade"), [(0o600, OK), (0o400, OK), (0o640, FAIL), (0o602, FAIL)])
def test_files_that_others_can_read(mode: int, grade: Grade, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.touch()
    file.chmod(mode)
    (found,) = host.files(tmp_path)
    assert found.grade is grade
    assert (str(file) in found.mend) == (grade is FAIL)


@pytest.mark.parametrize(
    ("free", "grade"),
    [(host.GONE - 1, FAIL), (host.GONE, WARN), (host.LOW - 1, WARN), (host.LOW, OK), (50 * host.GB, OK)],
)
def test_room_on_the_disk(free: float, grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=free))
    findings = host.disk([tmp_path / "not" / "yet", tmp_path])
    assert [found.grade for found in findings] == [grade], "one file system is told once"


@pytest.mark.parametrize(
    ("status", "grade", "word"),
    [
        ("Name:\tpython\nNoNewPrivs:\t0\nSeccomp:\t0\n", OK, "not set"),
        ("NoNewPrivs:\t1\n", WARN, "sudo"),
        ("NoNewPrivs:\t0\nSeccomp:\t2\n", OK, "seccomp"),
        ("", OK, "not set"),
    ],
)
def test_what_the_service_unit_forbids(status: str, grade: Grade, word: str, tmp_path: Path) -> None:
    file = tmp_path / "status"
    file.write_text(status)
    (found,) = host.limits(file)
    assert found.grade is grade
    assert word in found.text
    assert host.limits(tmp_path / "nowhere")[0].grade is OK


@pytest.mark.parametrize(("uid", "grade"), [(0, WARN), (1000, OK)])
def test_root_is_told(uid: int, grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    assert host.user()[0].grade is grade


def test_a_workspace_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert host.workspace(tmp_path / "file")[0].grade is FAIL
    assert host.workspace(tmp_path)[0].grade is OK


@pytest.mark.parametrize(("confines", "grade"), [(True, OK), (False, WARN)])
def test_a_sandbox_that_works_or_not(confines: bool, grade: Grade, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = pytest.importorskip("agent.sandbox")
    monkeypatch.setattr(sandbox, "choose", lambda home: SimpleNamespace(name="any", confines=confines))
    assert host.sandbox(Path("/nowhere"))[0].grade is grade


# -- people and modes -----------------------------------------------------------------------------------------------
def store(*rows: Person | Switch) -> Peek:
    people_rows = tuple(row for row in rows if isinstance(row, Person))
    return Peek(2, people_rows, tuple(row for row in rows if isinstance(row, Switch)))


MODES: list[tuple[str, list[Switch], dict[str, Grade], str]] = [
    ("sandbox", [], {"mode": OK}, ""),
    ("ask", [], {"mode": OK}, ""),
    ("full", [], {"mode": WARN}, "without asking"),
    ("sandbox", [Switch("mode", "full over sandbox", 2e9, "t:7")], {"mode": WARN}, "now full, until 2033"),
    ("sandbox", [Switch("mode", "full over sandbox", 1.0, "t:7")], {"mode": OK}, ""),
    ("sandbox", [Switch("mode", "sandbox over sandbox", None, "t:7")], {"mode": OK}, ""),
    ("sandbox", [Switch("mode", "ask over sandbox", None, "t:7")], {"mode": WARN}, "now ask"),
    ("sandbox", [Switch("lock", "on", None, "t:7")], {"mode": OK, "lock": WARN}, "only the owner may talk"),
    ("sandbox", [Switch("lock", "off", None, "t:7")], {"mode": OK}, ""),
]


@pytest.mark.parametrize(("standing", "rows", "graded", "word"), MODES)
def test_modes_and_the_lock(
    standing: str, rows: list[Switch], graded: dict[str, Grade], word: str, tmp_path: Path
) -> None:
    found = people.mode(settings(tmp_path, RUN__MODE=standing), store(*rows))
    assert grades(found) == graded
    assert word in render(found)


OWNERS: list[tuple[dict[str, str], list[Person], Grade, set[int]]] = [
    ({}, [], WARN, set()),
    ({"ACCESS__OWNER": "7"}, [], OK, {7}),
    ({}, [Person(8, "owner")], OK, {8}),
    ({"ACCESS__OWNER": "7"}, [Person(8, "owner")], OK, {7}),
    ({"ACCESS__OWNER": "7", "ACCESS__CHATS": "-100"}, [], WARN, {7}),
    ({"ACCESS__OWNER": "7", "ACCESS__CHATS": "-100", "ACCESS__ADMINS": "5"}, [], OK, {7, 5}),
    ({"ACCESS__OWNER": "7", "ACCESS__CHATS": "-100"}, [Person(9, "admin")], OK, {7, 9}),
    ({"ACCESS__OWNER": "7", "ACCESS__VIEWERS": "9"}, [Person(9, "admin")], OK, {7}),
]


@pytest.mark.parametrize(("env", "rows", "grade", "ids"), OWNERS)
def test_an_owner_and_approvers(
    env: dict[str, str], rows: list[Person], grade: Grade, ids: set[int], tmp_path: Path
) -> None:
    values = settings(tmp_path, **env)
    assert people.owner(values, store(*rows))[0].grade is grade
    assert people.approvers(values, store(*rows)) == ids


@pytest.mark.parametrize(
    ("ops", "chats", "grade"),
    [("", "", OK), ("-100", "-100", OK), ("-100:4", "-100", OK), ("-100", "", FAIL), ("7", "", OK), ("8", "", FAIL)],
)
def test_an_ops_chat_where_somebody_can_press(ops: str, chats: str, grade: Grade, tmp_path: Path) -> None:
    values = settings(tmp_path, ACCESS__OWNER="7", ACCESS__OPS_CHAT=ops, ACCESS__CHATS=chats)
    assert people.ops_chat(values, None)[0].grade is grade


# -- the store, from aside ------------------------------------------------------------------------------------------
async def test_a_peek_sees_what_stands_and_changes_nothing_while_it_is_open_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "jarvis.db"
    assert peek(path) is None
    one = SqliteStore(path)
    await one.open()
    await one.admit(Person(7, "owner", "Ada", None, 1.0))
    await one.switch(Switch("lock", "on", None, "t:7", 1.0))
    with closing(sqlite3.connect(path, isolation_level=None)) as rival:
        rival.execute("BEGIN IMMEDIATE")  # the bot is in the middle of writing
        seen = peek(path)
        rival.execute("ROLLBACK")
    assert seen == Peek(
        len(packaged()), (Person(7, "owner", "Ada", None, 1.0),), (Switch("lock", "on", None, "t:7", 1.0),)
    )
    await one.close()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir() if not file.name.endswith("-shm")}
    assert peek(path) == seen
    assert before.items() <= {file.name: file.read_bytes() for file in tmp_path.iterdir()}.items()


async def test_a_store_of_the_first_release_is_looked_at_not_upgraded(tmp_path: Path) -> None:
    old = SqliteStore(tmp_path / "jarvis.db", migrations=packaged()[:1])
    await old.open()
    await old.close()
    assert peek(tmp_path / "jarvis.db") == Peek(1)


async def test_a_broken_store_is_one_failure_and_stops_no_other_check(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "jarvis.db").write_bytes(b"Dear diary, this is no database at all.")
    found = grades(await exam(settings(tmp_path)))
    assert found["store"] is FAIL
    assert {"mode", "owner", "model", "token"} <= found.keys()


async def test_a_check_that_breaks_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: Path) -> list[Finding]:
        raise ZeroDivisionError

    monkeypatch.setattr(host, "home", broken)
    findings = await exam(settings(tmp_path), ["JARVIS_RUN__TURNS must be a whole number."])
    assert grades(findings)["home"] is FAIL
    assert grades(findings)["settings"] is WARN
    assert "ZeroDivisionError" in render(findings)


# -- Telegram -------------------------------------------------------------------------------------------------------
def bot(tmp_path: Path, telegram: FakeTelegram, **env: str) -> Settings:
    return settings(tmp_path, TELEGRAM__TOKEN=TOKEN, TELEGRAM__API_URL=telegram.url, ACCESS__OWNER=str(OWNER), **env)


def fine(telegram: FakeTelegram) -> None:
    return None


def revoked(telegram: FakeTelegram) -> None:
    telegram.faults.add(Fault(method="getMe", times=9, status=401))


def broken(telegram: FakeTelegram) -> None:
    telegram.faults.add(Fault(method="getMe", times=9, status=502, body="<html>bad gateway</html>"))


def hooked(telegram: FakeTelegram) -> None:
    telegram.updates.webhook = "https://example.org/hook"


def waiting(telegram: FakeTelegram) -> None:
    telegram.people.say("hello")


TELEGRAMS: list[tuple[Callable[[FakeTelegram], None], dict[str, Grade], str]] = [
    (fine, {"token": OK, "updates": OK}, "@jarvis_test_bot"),
    (revoked, {"token": FAIL}, "@BotFather"),
    (broken, {"telegram": FAIL}, "can't be reached"),
    (hooked, {"token": OK, "webhook": FAIL}, "deleteWebhook"),
    (waiting, {"token": OK, "updates": OK}, "no webhook"),
]


@pytest.mark.parametrize(("state", "graded", "word"), TELEGRAMS, ids=lambda each: getattr(each, "__name__", None))
async def test_telegram(
    state: Callable[[FakeTelegram], None], graded: dict[str, Grade], word: str, telegram: FakeTelegram, tmp_path: Path
) -> None:
    state(telegram)
    found = await remote.telegram(bot(tmp_path, telegram))
    assert grades(found) == graded
    assert word in render(found)
    assert TOKEN not in render(found)
    assert {call.method for call in telegram.calls} <= {"getMe", "getWebhookInfo"}, "never for updates"


async def test_telegram_out_of_reach(tmp_path: Path) -> None:
    values = settings(tmp_path, TELEGRAM__TOKEN=TOKEN, TELEGRAM__API_URL="http://127.0.0.1:9")
    found = await remote.telegram(values)
    assert grades(found) == {"telegram": FAIL}
    assert TOKEN not in render(found)


@pytest.mark.parametrize(("reads_all", "word"), [(False, "on: in groups I see"), (True, "off: Telegram hands me")])
async def test_privacy_mode_is_told(reads_all: bool, word: str, telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.chats.me["can_read_all_group_messages"] = reads_all
    assert word in render(await remote.telegram(bot(tmp_path, telegram, ACCESS__CHATS="-100")))


@pytest.mark.parametrize(("approvers", "grade"), [({OWNER}, OK), ({555}, FAIL), (set(), FAIL)])
async def test_an_approver_in_the_ops_chat(
    approvers: set[int], grade: Grade, telegram: FakeTelegram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def call(api: remote.Api, method: str, **params: Any) -> remote.Answer:
        if method == "getChatMember":
            status = "member" if params["user_id"] == OWNER else "left"
            return 200, {"ok": True, "result": {"status": status}}, ""
        return await kept(api, method, **params)

    kept = remote.Api.call
    monkeypatch.setattr(remote.Api, "call", call)
    found = await remote.telegram(bot(tmp_path, telegram, ACCESS__OPS_CHAT="-100", ACCESS__CHATS="-100"), approvers)
    assert grades(found)["ops chat"] is grade


@pytest.mark.parametrize(("seconds", "told"), [(-61, True), (-30, False), (0, False), (30, False), (61, True)])
def test_a_clock_that_is_wrong(seconds: int, told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1_700_000_000.0 + seconds)
    assert bool(remote._skew("Tue, 14 Nov 2023 22:13:20 GMT")) == told
    assert remote._skew("") == remote._skew("yesterday") == []


# -- the model ------------------------------------------------------------------------------------------------------
MODELS = [
    (use("report_time", {"time": "12:00"}), OK, "calls tools"),
    (Say("It is 12:00."), WARN, "called no tool"),
    (Http(401), FAIL, "key"),
    (Http(404), FAIL, MODEL),
]


@pytest.mark.parametrize(("step", "grade", "word"), MODELS, ids=["calls", "talks", "no key", "unknown"])
async def test_the_model(step: Any, grade: Grade, word: str, model: FakeModel, tmp_path: Path) -> None:
    model.next(step)
    values = settings(tmp_path, MODEL__BASE_URL=model.url, MODEL__NAME=MODEL, MODEL__API_KEY=KEY)
    (found,) = await remote.model(values)
    assert found.grade is grade
    assert word in found.text
    assert KEY not in render([found])
    assert len(model.requests) == 1


async def test_a_model_out_of_reach(tmp_path: Path) -> None:
    values = settings(tmp_path, MODEL__BASE_URL="http://127.0.0.1:9/v1", MODEL__NAME="m")
    assert grades(await remote.model(values)) == {"model": FAIL}


def cut_at(tokens: int) -> Any:
    usage = {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}
    return Sse((chunk({"content": "yes"}, "stop"), {**chunk({}), "choices": [], "usage": usage}, DONE))


@pytest.mark.parametrize(
    ("step", "env", "grade", "word"),
    [
        ("yes", {}, OK, "arrives whole"),
        (cut_at(2048), {}, WARN, "read 2,048 of about"),
        (Say("yes", usage=False), {}, OK, "doesn't count"),
        ("yes", {"MODEL__CONTEXT_TOKENS": "4096"}, OK, "too few"),
        (Http(400, {"error": {"message": "x", "code": "context_length_exceeded"}}), {}, WARN, "too long"),
    ],
)
async def test_a_server_that_cuts_is_seen(
    step: Any, env: dict[str, str], grade: Grade, word: str, model: FakeModel, tmp_path: Path
) -> None:
    model.next(step)
    values = settings(tmp_path, MODEL__BASE_URL=model.url, MODEL__NAME=MODEL, MODEL__API_KEY=KEY, **env)
    (found,) = await context.context(values)
    assert found.grade is grade
    assert word in found.text
    assert ("JARVIS_MODEL__CONTEXT_TOKENS" in found.mend) is (grade is WARN)


async def test_where_the_model_fails_nothing_is_said_of_its_context(model: FakeModel, tmp_path: Path) -> None:
    model.next(Http(401))
    values = settings(tmp_path, MODEL__BASE_URL=model.url, MODEL__NAME=MODEL, MODEL__API_KEY=KEY)
    assert list(await context.context(values)) == []


# -- the command ----------------------------------------------------------------------------------------------------
@pytest.mark.e2e
async def test_beside_a_bot_that_runs_it_disturbs_nothing(lab: Lab) -> None:
    await lab.start()
    polls = len(lab.telegram.polls)
    lab.model.next(use("report_time", {"time": "12:00"}))
    code, out = await lab.bot.run("doctor")
    assert (code, "0 to mend" in out) == (0, True), out
    assert "calls tools" in out
    assert lab.telegram.token not in out
    assert KEY not in out
    await lab.ask("hello", ["FINAL1"], "FINAL1")
    assert len(lab.telegram.polls) <= polls + 6
    assert lab.bot.alive


@pytest.mark.e2e
async def test_what_must_be_mended_is_the_exit_code(lab: Lab) -> None:
    lab.home.chmod(0o755)
    lab.telegram.faults.add(Fault(method="getMe", times=9, status=401))
    code, out = await lab.bot.run("doctor")
    assert code == 1
    assert f"chmod 700 {lab.home}" in out
    assert "@BotFather" in out
