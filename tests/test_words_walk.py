"""A walk over all words: each key in both languages with the same slots, no English left in German, numbers as they are
written there, and everybody spoken to as "du"."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agent.acts import Act
from agent.causes import ENGLISH, Cause, because, dump, load, within
from agent.why import Why
from bot import words
from bot.because import because as told
from bot.because import brief, clauses
from bot.words import de, en

TOPICS = {
    "words": (en, de),
    "model": (en.model, de.model),
    "files": (en.files, de.files),
    "doctor": (en.doctor, de.doctor),
}
FOR_THE_MODEL = {"FILES_CAME", "HEARD", "SILENCE", "wordless", "QUOTE_ALONE"}
# Words that are no German. What is shown as code, a command, an option or a file isn't looked at.
TELLTALE = re.compile(
    r"\b(?:the|is|are|were|not|and|with|you|your|can|this|that|has|have|been|of|to|it|its|nothing|waits?|please|again|"
    r"there|yes|shall|how|what|which|because|failed|used|turns?|files?|steps?|messages?)\b"
)
AS_IT_IS = re.compile(
    r"`[^`]*`|/[a-z]+(?: [a-z]+)?|[A-Z]+_[A-Z_]+|--[a-z-]+|\b[a-z]+\.[a-z]+\b|timedatectl.*|apt-get \w+ \w+"
)
FORMAL = re.compile(r"\b(?:Ihnen|Ihre?[mnrs]?)\b|\b(?:bitte|können|müssen|wollen|haben) Sie\b")


def sentences(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Each text of a catalogue that is no function's: (name, text)."""
    for name, value in vars(module).items():
        if name.startswith("_") or name in FOR_THE_MODEL:
            continue
        match value:
            case str():
                yield name, value
            case dict():
                yield from ((f"{name}[{key}]", text) for key, text in value.items())
            case tuple() if all(isinstance(each, str) for each in value):
                yield from ((f"{name}[{at}]", text) for at, text in enumerate(value))


def pieced_together(folder: Path) -> Iterator[tuple[str, str]]:
    """The texts within the functions of a catalogue: (file, text)."""
    for file in folder.glob("*.py"):
        for function in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                body = function.body[1:] if ast.get_docstring(function) else function.body
                inside = (node for each in body for node in ast.walk(each))
                yield from (
                    (file.name, node.value)
                    for node in inside
                    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
                )


def slots(text: str) -> list[str]:
    """The places that a sentence fills, each once; how a word of number agrees is a language's own affair."""
    return sorted({field for _, field, _, _ in string.Formatter().parse(text) if field is not None})


@pytest.mark.parametrize("topic", TOPICS)
def test_each_text_is_there_in_both_languages_with_the_same_slots(topic: str) -> None:
    english, german = (dict(sentences(module)) for module in TOPICS[topic])
    assert english.keys() - german.keys() == set()
    for name, text in english.items():
        if "{0" in text or "{1" in text:
            assert slots(german[name]) == slots(text), name


def test_each_cause_has_a_sentence_in_both_languages() -> None:
    assert set(de.CAUSES) == set(en.CAUSES) == set(ENGLISH) == {each.value for each in (*Why, *Act)}
    assert len(ENGLISH) == len(Why) + len(Act), "a name is a cause's and an act's at once"


@pytest.mark.parametrize("topic", TOPICS)
def test_no_english_is_left_in_german(topic: str) -> None:
    left = [
        (name, found[0])
        for name, text in sentences(TOPICS[topic][1])
        if (found := TELLTALE.search(AS_IT_IS.sub("", text)))
    ]
    assert left == []


def test_no_english_is_left_in_what_german_pieces_together() -> None:
    found = list(pieced_together(Path(str(de.__file__)).parent))
    assert len(found) > 100
    assert [each for each in found if TELLTALE.search(AS_IT_IS.sub("", each[1]))] == []


def test_the_telltale_words_tell() -> None:
    assert TELLTALE.search("Der run is over")
    assert all(TELLTALE.search(AS_IT_IS.sub("", text)) for text in (en.NOTHING_RUNS, en.STOPPED, en.EXPIRED))


@pytest.mark.parametrize("topic", TOPICS)
def test_everybody_is_spoken_to_as_du(topic: str) -> None:
    assert [name for name, text in sentences(TOPICS[topic][1]) if FORMAL.search(text)] == []


@pytest.mark.parametrize(
    ("made", "german", "english"),
    [
        (because(Why.FELL_SILENT, "m", 0.3), "0,3 s", "0.3 s"),
        (because(Why.NO_FIRST_WORD, "m", 60.0), "binnen 60 s", "within 60 s"),
        (because(Why.HOLDS_TOO_LITTLE, "m", 32_768), "32.768 Tokens", "32,768 tokens"),
        (because(Why.MONEY, 0.05, 12.5), "0,05 $ von 12,5 $", "$0.05 of $12.5"),
        (because(Why.TOKENS, 18_000, 20_000), "18.000 von 20.000 Tokens", "18,000 of 20,000 tokens"),
        (because(Why.TURNS_USED, 20, 2), "zum zweiten Mal", "for the second time"),
        (because(Why.TURNS_USED, 20, 4), "zum 4. Mal", "for the 4th time"),
        (because(Why.TURNS_LEFT, 0), "Es bleiben 0 Runden.", "0 turns are left."),
        (because(Why.TURNS_LEFT, 1), "Es bleibt 1 Runde.", "1 turn is left."),
        (because(Why.TURNS_LEFT, 2), "Es bleiben 2 Runden.", "2 turns are left."),
    ],
)
def test_numbers_and_plurals_of_causes(made: Cause, german: str, english: str) -> None:
    with words.speaking("de"):
        assert german in told("", dump(made))
    assert english in told("", dump(made))
    assert english in str(made)


@pytest.mark.parametrize(
    ("say", "none", "one", "two"),
    [
        (lambda n: words.files_changed(n), "", "1 Datei", "2 Dateien"),
        (lambda n: words.commands_run(n), "", "1 Befehl", "2 Befehle"),
        (lambda n: words.paths(n), "0 Pfade", "1 Pfad", "2 Pfade"),
        (lambda n: words.calls(str(n), n), "0 Aufrufe", "1 Aufruf", "2 Aufrufe"),
        (lambda n: words.log_caption(n, cut=False), "0 Schritte", "1 Schritt", "2 Schritte"),
        (lambda n: words.locked(n), "Es lief nichts", "1 Lauf gestoppt", "2 Läufe gestoppt"),
        (lambda n: words.unsent(n), "0 Nachrichten warten", "1 Nachricht wartet", "2 Nachrichten warten"),
        (lambda n: words.up(0, n), "0 Läufe", "1 Lauf", "2 Läufe"),
        (
            lambda n: words.stopped(False, n, 0),
            "Es läuft nichts",
            "1 Hintergrundjob beendet",
            "2 Hintergrundjobs beendet",
        ),
        (lambda n: words.ago(n * 86_400.0), "gerade eben", "vor 1 Tag", "vor 2 Tagen"),
    ],
)
def test_plural_forms_for_none_one_and_two(say: Any, none: str, one: str, two: str) -> None:
    with words.speaking("de"):
        for number, expected in enumerate((none, one, two)):
            assert expected in say(number), number


# -- causes ---------------------------------------------------------------------------------------------------------
NESTED = because(
    Why.CLAIMED_TWICE, (because(Why.FAILS_WITH, "make", because(Why.EXIT, 2), "a {0}"), because(Why.NO_PUSH))
)


def test_a_cause_comes_back_from_its_json_text() -> None:
    assert load(dump(NESTED)) == (NESTED,)
    assert str(NESTED) == (
        "Not verified: `make` fails (exit 2): a {0}; no push was run here with success. "
        "It was claimed to be done twice, with nothing changed in between."
    )
    assert within('{"causes": ' + dump(NESTED) + "}") == dump(NESTED)


@pytest.mark.parametrize(
    "causes",
    [
        *(
            "",
            "[]",
            "{",
            "[1]",
            "[[]]",
            '["x"]',
            "null",
            "[" * 5000,
            '[["of another release", "x"]]',
            '[["key rejected"]]',
        ),
        *('[["turns left", "x"]]', '[["fails", {"cause": 5}, 1]]', '[["money", "a", "b"]]', '[["exit", null]]'),
    ],
)
def test_causes_that_are_not_known_leave_the_sentence(causes: str) -> None:
    with words.speaking("de"):
        assert told("The sentence.", causes) in ("The sentence.", "Es bleiben x Runden.")
        assert brief(causes) in ("", "es bleiben x Runden")


@pytest.mark.parametrize("data", ["", "{", "[]", "5", '{"causes": 5}', '{"what": "x"}', "[" * 5000])
def test_data_without_causes_has_none(data: str) -> None:
    assert within(data) == ""


def test_a_brief_cause_has_neither_the_model_s_name_nor_advice() -> None:
    failed = dump(because(Why.OVERLOADED, "big-4.1", 503), because(Why.ASK_AGAIN))
    assert brief(failed) == "the model is overloaded (status 503)"
    with words.speaking("de"):
        assert brief(failed) == "das Modell ist überlastet (Status 503)"
        assert (
            clauses(load(failed))
            == "Das Modell big-4.1 ist überlastet (Status 503).; Noch einmal zu fragen hilft vielleicht."
        )
