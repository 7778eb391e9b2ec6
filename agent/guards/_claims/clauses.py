"""The clauses of a final text that state what was done or is so now. Left out are questions, intentions, conditions,
requests, negations, what others said, and what is told of another machine. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.guards._claims.sentences import sentences

CLEAN = "faultless"
"""Stands for "no errors", "ohne Fehler" and the like, so that their negation isn't taken for one of the claim."""

_CLEAN = re.compile(
    r"\b(?:without|no|zero|0|none|ohne|keine[nmrs]?|kein|null)\b(?: (?:a|any|more|single|further|other|ein\w*|"
    r"einzig\w*|"
    r"weiter\w*|mehr|test)){0,3} (?:errors?|failures?|failing|failed|issues?|problems?|warnings?|complaints?|fehlern?|"
    r"fehlschl\w+|probleme?n?|warnung\w*|beanstandung\w*|fehlgeschlagen\w*)\b"
    r"|\bnone (?:of them )?fail(?:ing|ed|s)?\b|\bnothing to (?:complain|report|fix)\w*(?: about)?"
    r"|\bnichts zu beanstanden\b|\bnothing fail(?:s|ed)\b|\bnichts schlägt fehl\b|\berror[- ]free\b|\bfehler(?:frei|"
    r"los)\b",
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
_WHOLE = re.compile(  # these take back the whole sentence
    r"^(?:if|once|when|whenever|unless|until|in case|should|after you|before you|assuming|as soon as|wenn|falls|sobald|"
    r"sofern|bevor|ehe|solltest|sollten|angenommen)\b"
    r"|\b(?:if|once|unless|until|as soon as|wenn|falls|sobald|sofern|bevor)\b(?! (?:necessary|nötig))"
    r"|\baccording to\b|\blaut\b|\b(?:docs?|documentation|readme|manual|message|log|guide)\b[^.]{0,30}\b(?:says?|said|"
    r"states?|claims?)\b|\b(?:im|in der|in the) (?:readme|doku\w*|anleitung|docs?)\b|\bin general\b|\bim allgemeinen\b"
    r"|\bon (?:the |your |our )?(?:production|prod|staging|remote|other|another|customer|target) (?:host|server|"
    r"machine|"
    r"system|box|cluster)\b|\bauf (?:dem|der|einem|einer) (?:produktions\w*|staging\w*|entfernten|anderen) ?\w*\b"
    r"|\bfor example\b|\bzum beispiel\b|\be\.g\.|\bz\. ?b\.",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:will|won't|shall|should|would|could|may|might|must|going to|want to|need to|have to|let me|let's|i['’]ll|"
    r"you['’]ll|it['’]ll|plan to|please|werde|werden wir|wir werden|würde\w*|sollte\w*|könnte\w*|müsste\w*|möchte\w*|"
    r"will|wollen|muss|müssen|soll|sollen|bitte|lass)\b",
    re.IGNORECASE,
)
_CAN = re.compile(r"\b(?:can|kann|kannst|können|könnt)\b", re.IGNORECASE)
_CAN_NOW = re.compile(
    r"\b(?:can|kann|können) (?:now |jetzt |nun )?(?:directly |direkt )?(?:be )?(?:\w+ )?(?:reached|accessed|executed|"
    r"run|"
    r"started|ausgeführt|gestartet|erreicht|aufgerufen)\b|\bcan be (?:reached|accessed)\b|"
    r"\bkann\b[^.]{0,30}\berreicht\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|jetzt|nun|port|https?)\b", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|never|cannot|unable|nicht|nie|niemals|hardly|kaum|failed to|refus\w+)\b|n['’]t\b"
    r"|\b(?:no|kein\w*) (?:\w+ )?(?:tests?|files?|changes?|commits?|commands?|datei\w*|änderung\w*|befehl\w*|server)\b"
    r"|\bnothing (?:was|has|is|else)\b|\bnichts (?:wurde|ist|anderes|weiter)\b|\bfail(?:s|ed|ing)?\b|\bfehlgeschlagen\b"
    r"|\bschl(?:ägt|agen|ug|ugen)\b[^.]{0,60}\bfehl\b|\bversuch\w*\b|\btried\b|\battempt\w*\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"^\W*(?:as |wie )?(?:you|the user|du|sie|ihr|der benutzer|der nutzer)(?:['’]ve| have| had| hast| haben|"
    r" hattest)? (?:already )?"
    r"(?:asked|want\w*|told|said|wrote|created|ran|made|pushed|installed|committed|mentioned|wolltest|hast|sagtest|"
    r"schriebst|meintest)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:to|run|use|open|start|make sure|check|try|install|create|add|execute|see|call|type|do|don['’]t|um|führe?|"
    r"nimm|"
    r"nutze?|öffne|starte|prüfe?|installiere?|erstelle|siehe|rufe?|gib|stell)\s(?!it\b)",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"^(?:next(?: steps?)?|to ?do|todo|remaining|still (?:open|to do)|what(?:'s| is) (?:left|next)|you (?:can|could|"
    r"should)|"
    r"nächste[rn]? schritte?|noch (?:offen|zu tun)|offen|als nächstes|vorschl\w+|suggest\w*|recommend\w*|empf\w+|usage|"
    r"how to\b.*|to (?:run|use|test|start)\b.*|verwendung|benutzung|plan)\b[^.!?]{0,40}:?$",
    re.IGNORECASE,
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
