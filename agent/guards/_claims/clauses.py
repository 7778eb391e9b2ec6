"""The clauses of a final text that state what was done or is so now. Left out are questions, intentions, conditions,
requests, negations, what others said, and what is told of another machine. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.guards._claims.sentences import sentences
from agent.guards._claims.words import words

CLEAN = "faultless"
"""Stands for "no errors", "ohne Fehler" and the like, so that their negation isn't taken for one of the claim."""

_CLEAN = re.compile(
    r"\b(?:(?:without|no|zero|0|none|ohne|keine[nmrs]?|kein|null)\b(?: (?:a|any|more|single|further|other|ein\w*|"
    r"einzig\w*|"
    r"weiter\w*|mehr|test)){0,3} (?:errors?|failures?|failing|failed|issues?|problems?|warnings?|complaints?|fehlern?|"
    r"fehlschl\w+|probleme?n?|warnung\w*|beanstandung\w*|fehlgeschlagen\w*)\b"
    r"|none (?:of them )?fail(?:ing|ed|s)?\b|nothing to (?:complain|report|fix)\w*(?: about)?"
    r"|nichts zu beanstanden\b|nothing fail(?:s|ed)\b|nichts schlägt fehl\b|error[- ]free\b|fehler(?:frei|"
    r"los)\b)",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"; |: | [–—] | - |, (?=(?:so|which|and|but|while|because|since|although|then|und|aber|sodass|so dass|dass|damit|"
    r"denn|"
    r"weil|da|obwohl|während|es|sie|er|der|die|das|du|it|they|you|we|i|ich|wir|sonst|otherwise|nothing)\b)"
    r"| (?:and|und) (?=(?:you |du )?(?:can|kann|kannst|können)\b)"
    r"| and (?=(?:then |also |now |it |there )?(?:\w+ed|ran|wrote|made|is|was|were|are)\b)",
    re.IGNORECASE,
)
_WHOLE = words(  # these take back the whole sentence
    r"^(?:if|once|when|whenever|unless|until|in case|should|after you|before you|assuming|as soon as|wenn|falls|sobald|"
    r"sofern|bevor|ehe|solltest|sollten|angenommen)\b"
    r"|\b(?:(?:if|once|unless|until|as soon as|wenn|falls|sobald|sofern|bevor)\b(?! (?:necessary|nötig))"
    r"|according to\b|laut\b|(?:docs?|documentation|readme|manual|message|log|guide)\b[^.]{0,30}\b(?:says?|said|"
    r"states?|claims?)\b|(?:im|in der|in the) (?:readme|doku\w*|anleitung|docs?)\b|in general\b|im allgemeinen\b"
    r"|on (?:the |your |our )?(?:production|prod|staging|remote|other|another|customer|target) (?:host|server|"
    r"machine|"
    r"system|box|cluster)\b|auf (?:dem|der|einem|einer) (?:produktions\w*|staging\w*|entfernten|anderen) ?\w*\b"
    r"|for example\b|zum beispiel\b|e\.g\.|z\. ?b\.)"
)
_MODAL = words(
    r"\b(?:will|won't|shall|should|would|could|may|might|must|going to|want to|need to|have to|let me|let's|i['’]ll|"
    r"you['’]ll|it['’]ll|plan to|please|werde|werden wir|wir werden|würde\w*|sollte\w*|könnte\w*|müsste\w*|möchte\w*|"
    r"will|wollen|muss|müssen|soll|sollen|bitte|lass)\b"
)
_CAN = words(r"\b(?:can|kann|kannst|können|könnt)\b")
_CAN_NOW = words(
    r"\b(?:can|kann|können) (?:now |jetzt |nun )?(?:directly |direkt )?(?:be )?(?:\w+ )?(?:reached|accessed|executed|"
    r"run|"
    r"started|ausgeführt|gestartet|erreicht|aufgerufen)\b|\bcan be (?:reached|accessed)\b|"
    r"\bkann\b[^.]{0,30}\berreicht\b"
)
_NOW = words(r"\b(?:now|jetzt|nun|port|https?)\b")
_NOT = words(
    r"\b(?:(?:not|never|cannot|unable|nicht|nie|niemals|hardly|kaum|failed to|refus\w+)\b"
    r"|(?:no|kein\w*) (?:\w+ )?(?:tests?|files?|changes?|commits?|commands?|datei\w*|änderung\w*|befehl\w*|server)\b"
    r"|nothing (?:was|has|is|else)\b|nichts (?:wurde|ist|anderes|weiter)\b|fail(?:s|ed|ing)?\b|fehlgeschlagen\b"
    r"|schl(?:ägt|agen|ug|ugen)\b[^.]{0,60}\bfehl\b|versuch\w*\b|tried\b|attempt\w*\b)|n['’]t\b"
)
_OTHERS = words(
    r"^\W*(?:as |wie )?(?:you|the user|du|sie|ihr|der benutzer|der nutzer)(?:['’]ve| have| had| hast| haben|"
    r" hattest)? (?:already )?"
    r"(?:asked|want\w*|told|said|wrote|created|ran|made|pushed|installed|committed|mentioned|wolltest|hast|sagtest|"
    r"schriebst|meintest)\b"
)
_REQUEST = words(
    r"^(?:to|run|use|open|start|make sure|check|try|install|create|add|execute|see|call|type|do|don['’]t|um|führe?|"
    r"nimm|"
    r"nutze?|öffne|starte|prüfe?|installiere?|erstelle|siehe|rufe?|gib|stell)\s(?!it\b)"
)
_NEXT = words(
    r"^(?:next(?: steps?)?|to ?do|todo|remaining|still (?:open|to do)|what(?:'s| is) (?:left|next)|you (?:can|could|"
    r"should)|"
    r"nächste[rn]? schritte?|noch (?:offen|zu tun)|offen|als nächstes|vorschl\w+|suggest\w*|recommend\w*|empf\w+|usage|"
    r"how to\b.*|to (?:run|use|test|start)\b.*|verwendung|benutzung|plan)\b[^.!?]{0,40}:?$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement; `sentence` is all of the sentence that it stands in."""

    text: str
    sentence: str


def clauses(text: str) -> Iterator[Clause]:
    """The statements of a text, in order."""
    ahead = False  # below a heading such as "Next steps"
    for told in sentences(text):
        sentence = _CLEAN.sub(CLEAN, told)
        if _NEXT.search(sentence.rstrip("*_ ")):
            ahead = True
            continue
        ahead = ahead and not sentence.endswith((":", ".", "!"))
        if ahead or sentence.rstrip(" *_`)").endswith("?") or _WHOLE.search(sentence):
            continue
        parts = [part.strip() for part in _SPLIT.split(sentence) if part and part.strip()]
        yield from (Clause(part, sentence) for part in parts if _states(part))


def _states(part: str) -> bool:
    if _REQUEST.search(part) or _MODAL.search(part) or _NOT.search(part) or _OTHERS.search(part):
        return False
    return not _CAN.search(part) or bool(_CAN_NOW.search(part) and _NOW.search(part))
