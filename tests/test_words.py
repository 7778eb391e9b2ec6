"""The catalogues of words: German has what English has and takes the same arguments; the pseudo-locale brackets all."""

from __future__ import annotations

import inspect
import string
from types import ModuleType

import pytest

from bot import filewords, modelwords, words
from bot.words import de, en

# What no person reads in their language: material for the model, names, marks.
FOR_THE_MODEL = {"FILES_CAME", "HEARD", "SILENCE", "QUOTE_ALONE", "wordless", "size"}
THE_SAME = {"about_tools", "warning", "person", "clock"}  # signs and numbers alone
PAIRS = ((en, de), (en.model, de.model), (en.files, de.files))


def names(module: ModuleType) -> dict[str, object]:
    found = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    return {name: value for name, value in found.items() if not inspect.ismodule(value) and value.__class__ is not type}


def ours(module: ModuleType) -> dict[str, object]:
    return {
        name: value
        for name, value in names(module).items()
        if not callable(value) or str(getattr(value, "__module__", "")).startswith("bot.words")
    }


@pytest.mark.parametrize(("english", "german"), PAIRS, ids=["words", "model", "files"])
def test_german_has_what_english_has(english: ModuleType, german: ModuleType) -> None:
    lacking = set(ours(english)) - set(ours(german)) - FOR_THE_MODEL - THE_SAME - {"annotations"}
    assert lacking == set()


@pytest.mark.parametrize(("english", "german"), PAIRS, ids=["words", "model", "files"])
def test_both_have_the_same_shape(english: ModuleType, german: ModuleType) -> None:
    for name, value in ours(english).items():
        other = ours(german).get(name, value)
        if callable(value):
            assert list(inspect.signature(value).parameters) == list(inspect.signature(other).parameters), name
        elif isinstance(value, dict):
            assert value.keys() == other.keys(), name
        else:
            assert type(value) is type(other), name


@pytest.mark.parametrize(
    ("code", "spoken"),
    [("de", "de"), ("de-AT", "de"), ("DE", "de"), ("en_US", "en"), ("fr", "en"), ("", ""), ("qps-ploc", "qps")],
)
def test_the_language_of_a_client(code: str, spoken: str) -> None:
    assert words.known(code) == spoken


def test_speaking_holds_within_and_ends() -> None:
    with words.speaking("de"):
        assert words.NOTHING_RUNS == "Es läuft nichts."
        with words.speaking(""):
            assert words.NOTHING_RUNS == "Nothing is running."
        assert words.NOTHING_RUNS == "Es läuft nichts."
        assert modelwords.CANCEL == "Abbrechen" and filewords.HEARD.startswith("[What a machine")
    assert words.NOTHING_RUNS == "Nothing is running."
    with pytest.raises(AttributeError):
        words.NO_SUCH_WORDS  # noqa: B018


@pytest.mark.parametrize(
    ("told", "german", "english"),
    [
        (lambda: words.stopped(False, 1, 0), "1 Hintergrundjob beendet.", "1 background job ended."),
        (lambda: words.stopped(False, 2, 0), "2 Hintergrundjobs beendet.", "2 background jobs ended."),
        (lambda: words.stopped(False, 0, 0), "Es läuft nichts.", "Nothing is running."),
        (lambda: words.files_changed(1), "1 Datei", "1 file"),
        (lambda: words.files_changed(2), "2 Dateien", "2 files"),
        (lambda: words.log_caption(1, cut=False), "1 Schritt dieser Sitzung", "1 step of this session"),
        (lambda: words.ago(59), "gerade eben", "just now"),
        (lambda: words.ago(3_660), "vor 1 h 1 min", "1 h 1 min ago"),
        (lambda: words.ago(86_400), "vor 1 Tag", "1 day ago"),
        (lambda: words.ago(200_000), "vor 2 Tagen", "2 days ago"),
        (
            lambda: modelwords.context(32_768),
            "Kontext: 32.768 Tokens, laut Einstellungen",
            "Context: 32,768 tokens, by the settings",
        ),
    ],
)
def test_plurals_and_numbers(told, german: str, english: str) -> None:  # type: ignore[no-untyped-def]
    with words.speaking("de"):
        assert told() == german
    assert told() == english


def test_the_pseudo_locale_brackets_every_string() -> None:
    with words.speaking("qps"):
        assert words.NOTHING_RUNS == "⟦Nothing is running.⟧"
        assert words.span(61) == "⟦1 min 1 s⟧"
        assert words.HELP["stop"].startswith("⟦") and "stop" in words.HELP
        assert words.files_changed(0) == ""


def test_help_lines_fit_a_menu() -> None:
    """1 to 256 characters a description, 1 to 32 of a-z, 0-9 and _ a name: https://core.telegram.org/bots/api#botcommand"""
    for catalogue in (en, de):
        assert len(catalogue.HELP) == 20
        for name, line in catalogue.HELP.items():
            assert set(name) <= set(string.ascii_lowercase + string.digits + "_") and 1 <= len(line) <= 256
