"""MCP servers in the settings, and what becomes of the tools they name: pure tables."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.mcp.configured import MOST, Configured, configured
from agent.mcp.offered import DESCRIPTION, NAME, Offer, described, eased, offers
from agent.toolschema import sendable, sound

EMPTY = {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"command": "x"}, ""),
        ({"command": "x", "args": [], "env": {}, "cwd": "/", "effect": "read", "tools": ["a*"], "trusted": True}, ""),
        ({"url": "https://x/mcp", "headers": {"A": "b"}, "type": "http"}, ""),
        (None, "must be an object"),
        ("npx thing", "must be an object"),
        ({}, "either"),
        ({"command": "x", "url": "http://x"}, "either"),
        ({"command": ""}, '"command" must be a text'),
        ({"command": ["npx", "thing"]}, '"command" must be a text'),
        ({"command": "x", "args": "y"}, '"args" must be a list'),
        ({"command": "x", "args": [1]}, '"args" must be a list'),
        ({"command": "x", "env": {"A": 1}}, '"env" must be an object'),
        ({"command": "x", "env": ["A=1"]}, '"env" must be an object'),
        ({"command": "x\0"}, "must be a text"),
        ({"url": "ftp://x"}, "http://"),
        ({"command": "x", "effect": "rw"}, '"effect" must be one of'),
        ({"command": "x", "trusted": "yes"}, "true or false"),
        ({"command": "x", "comand": "y"}, "no setting 'comand', did you mean command?"),
    ],
)
def test_each_entry_of_the_settings_is_judged_by_itself(entry: object, why: str) -> None:
    good, bad = configured({"one": entry, "other": {"command": "y"}})
    assert [server.name for server in good] == (["other"] if why else ["one", "other"])
    assert [name for name, _ in bad] == (["one"] if why else [])
    assert why in "".join(reason for _, reason in bad)


@pytest.mark.parametrize(("count", "left_out"), [(MOST, 0), (MOST + 1, 1)])
def test_there_is_a_limit_of_servers(count: int, left_out: int) -> None:
    good, bad = configured({f"s{n}": {"command": "x"} for n in range(count)})
    assert (len(good), len(bad)) == (MOST, left_out)


def test_a_disabled_server_is_neither_started_nor_told_of() -> None:
    assert configured({"s": {"command": "x", "disabled": True}}) == ((), ())


def test_keys_are_not_shown() -> None:
    (server,), _ = configured({"s": {"url": "https://h/mcp?key=secret1", "headers": {"Authorization": "secret2"}}})
    assert "secret" not in repr(server) + server.where


# -- tools ----------------------------------------------------------------------------------------------------------
def server(**more: Any) -> Configured:
    return configured({"srv": {"command": "x", **more}})[0][0]


def tool(name: str, schema: object = EMPTY, description: str = "does it", reads: bool = True) -> dict[str, Any]:
    return {"name": name, "description": description, "schema": schema, "reads": reads}


@pytest.mark.parametrize(
    ("names", "taken", "offered"),
    [
        (["now"], (), ["srv_now"]),
        (["get.time/zone"], (), ["srv_get_time_zone"]),
        (["žluť"], (), ["srv_lu"]),
        (["…"], (), ["srv_tool"]),
        (["now"], ("srv_now",), [r"srv_now_[0-9a-f]{6}"]),
        (["a.b", "a/b"], (), ["srv_a_b", r"srv_a_b_[0-9a-f]{6}"]),
        (["x" * 60], (), ["srv_" + "x" * 60]),
        (["x" * 61], (), ["srv_" + "x" * 53 + r"_[0-9a-f]{6}"]),
        (["now", "now"], (), ["srv_now", r"srv_now_[0-9a-f]{6}"]),
    ],
)
def test_names_are_legal_short_and_nobody_else_s(names: list[str], taken: tuple[str, ...], offered: list[str]) -> None:
    good, bad = offers(server(), [tool(name) for name in names], taken)
    assert not bad
    assert [bool(re.fullmatch(want, offer.name)) for want, offer in zip(offered, good, strict=True)] == [True] * len(
        names
    )
    assert [offer.remote for offer in good] == names


@given(st.lists(st.text(min_size=1, max_size=100), max_size=8), st.text(min_size=1, max_size=64))
def test_any_names_come_out_legal_and_different(names: list[str], name: str) -> None:
    good, _ = offers(Configured(name, {}), [tool(each) for each in names], ())
    assert len({offer.name for offer in good}) == len(good) == len(names)
    assert all(re.fullmatch(rf"[a-zA-Z0-9_-]{{1,{NAME}}}", offer.name) for offer in good)


@pytest.mark.parametrize(
    ("effect", "hint", "reads"),
    [("write", True, False), ("declared", True, True), ("declared", False, False), ("read", False, True)],
)
def test_a_server_s_word_that_it_only_reads_counts_where_the_settings_say_so(
    effect: str, hint: bool, reads: bool
) -> None:
    good, _ = offers(server(effect=effect), [tool("a", reads=hint)], ())
    assert good[0].reads is reads


def test_only_the_tools_that_the_settings_want_are_offered() -> None:
    good, bad = offers(server(tools=["get_*", "list"]), [tool("get_a"), tool("list"), tool("delete", None)], ())
    assert ([offer.remote for offer in good], bad) == (["get_a", "list"], ())


@pytest.mark.parametrize(("length", "cut"), [(DESCRIPTION, False), (DESCRIPTION + 1, True)])
def test_descriptions_are_one_short_paragraph(length: int, cut: bool) -> None:
    text = ("word " * 200)[:length].rstrip().ljust(length, "x")
    assert described(text, "t").endswith("…") is cut
    assert len(described(text, "t")) <= DESCRIPTION
    assert described("a\n\n  b\x1b[0m\u202e c", "t") == "a b [0m c"
    assert described("", "remote") == "remote"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "object schema"),
        ({"type": "object", "oneOf": []}, "can't stand at the top"),
        ({"type": "object", "properties": {"a b": {}}}, "can't be used"),
        (
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}},
            "itself",
        ),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "isn't one of"),
        ([], "object schema"),
        (None, "object schema"),
    ],
)
def test_a_schema_that_a_provider_would_refuse_costs_its_tool_alone(schema: object, words: str) -> None:
    good, bad = offers(server(), [tool("good"), tool("bad", schema), tool("fine")], ())
    assert [offer.remote for offer in good] == ["good", "fine"]
    assert [name for name, _ in bad] == ["bad"]
    assert words in bad[0][1]


@pytest.mark.parametrize(
    ("loose", "tight"),
    [
        ({}, {"type": "object"}),
        ({"properties": {"a": {}}}, {"a": {"anyOf": [{"type": t} for t in ("string", "number", "boolean", "object")]}}),
        ({"properties": {"a": {"type": "array"}}}, {"a": {"type": "array", "items": {"type": "string"}}}),
        ({"properties": {"a": {"type": "array", "items": {}}}}, {"a": {"type": "array", "items": {"type": "string"}}}),
        ({"properties": {"a": {"items": {"type": "integer"}}}}, {"a": {"type": "array", "items": {"type": "integer"}}}),
        ({"properties": {"a": {"enum": ["x"]}}}, {"a": {"enum": ["x"], "type": "string"}}),
        ({"properties": {"a": {"type": "string", "description": None}}}, {"a": {"type": "string"}}),
        ({"properties": {"a": {"anyOf": [{"type": "array"}, {"type": "null"}]}}}, None),
        ({"properties": {}, "required": ["gone"]}, {}),
    ],
)
def test_what_servers_leave_out_is_put_in(loose: dict[str, Any], tight: object) -> None:
    text = sound(eased({**loose})).text
    sent = json.loads(sendable(text))
    assert sent["type"] == "object"
    assert "required" not in sent
    if tight is not None and "type" not in tight:
        for name, wanted in tight.items():  # type: ignore[attr-defined]
            got = sent["properties"][name]
            for key, value in wanted.items():
                if key == "anyOf":
                    assert [each["type"] for each in got["anyOf"]] == [each["type"] for each in value]
                else:
                    assert got[key] == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "items", "anyOf", "$ref", "$defs", "required", "enum", "a"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_schema_of_a_server_raises(schema: object) -> None:
    good, bad = offers(server(), [tool("t", schema)], ())
    assert len(good) + len(bad) == 1
    assert all(isinstance(offer, Offer) for offer in good)
