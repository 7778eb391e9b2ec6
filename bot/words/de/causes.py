"""Why something happened, in German. What stands in a sentence is told in agent.why."""

from __future__ import annotations

from bot.words.de.acts import ACTS
from bot.words.de.times import figure, number

_MODEL = {
    "key rejected": "Der Schlüssel für das Modell {0:model} wurde abgelehnt.",
    "no credit": "Das Konto hinter dem Modell {0:model} hat kein Guthaben oder Kontingent mehr.",
    "no tools": "Das Modell {0:model} kann an diesem Endpunkt keine Werkzeuge aufrufen.",
    "too long": "Das Gespräch passt nicht mehr in den Kontext des Modells {0:model}.",
    "against policy": "Der Anbieter des Modells {0:model} hat die Anfrage wegen seiner Inhaltsregeln abgelehnt.",
    "no such model": "Das Modell {0:model} ist an diesem Endpunkt nicht bekannt.",
    "no right": "Der Schlüssel wurde für das Modell {0:model} abgelehnt: Er hat kein Recht darauf.",
    "no more now": "Das Modell {0:model} nimmt zurzeit keine weiteren Anfragen an.",
    "elsewhere": "Der Endpunkt des Modells {0:model} nimmt unter dieser Adresse keine Anfragen an (Status {1}).",
    "reported": "Das Modell {0:model} meldete einen Fehler, statt zu antworten.",
    "overloaded": "Das Modell {0:model} ist überlastet (Status {1}).",
    "failed there": "Das Modell {0:model} scheiterte beim Anbieter (Status {1}).",
    "invalid": "Der Anbieter des Modells {0:model} fand unsere Anfrage ungültig (Status {1}).",
    "invalid, says": "Der Anbieter des Modells {0:model} fand unsere Anfrage ungültig (Status {1}): {2}.",
    "tool refused": "Der Anbieter des Modells {0:model} lehnte ein Werkzeug der Anfrage ab (Status {1}).",
    "tool refused, says": "Der Anbieter des Modells {0:model} lehnte ein Werkzeug der Anfrage ab (Status {1}): {2}.",
    "no connection": "Der Endpunkt des Modells {0:model} nimmt keine Verbindung an: Die Zeit lief ab.",
    "unreachable": "Der Endpunkt des Modells {0:model} ist nicht zu erreichen.",
    "broke off": "Die Verbindung zum Modell {0:model} brach vor dem Ende der Antwort ab.",
    "key unsendable": "Der Schlüssel für das Modell {0:model} enthält Zeichen, die sich nicht senden lassen.",
    "untrusted": "Das Zertifikat des Endpunkts des Modells {0:model} ist nicht vertrauenswürdig.",
    "bad address": "Die Adresse des Endpunkts des Modells {0:model} ist nicht brauchbar.",
    "reply broke off": "Die Antwort des Modells {0:model} brach vor ihrem Ende ab.",
    "gave up": "Das Modell {0:model} gab mitten in der Antwort auf.",
    "reply stopped": "Der Anbieter des Modells {0:model} hat die Antwort wegen seiner Inhaltsregeln abgebrochen.",
    "said nothing": "Das Modell {0:model} hat nichts geantwortet.",
    "output used up": (
        "Das Modell {0:model} hat nichts geantwortet: Seine Ausgabegrenze war erreicht, bevor die Antwort begann."
    ),
    "no first word": "Das Modell {0:model} hat binnen {1:s} nicht geantwortet.",
    "fell silent": "Das Modell {0:model} hat {1:s} lang nichts geschickt.",
    "took too long": "Das Modell {0:model} wurde binnen {1:s} nicht mit der Antwort fertig.",
    "garbled": "Der Endpunkt des Modells {0:model} schickte {1} statt einer Antwort.",
    "big chunk": "ein Stück von mehr als {0} kB",
    "web page": "eine Webseite",
    "corrupt line": "eine kaputte Zeile",
    "corrupt chunk": "ein kaputtes Stück",
    "no chat reply": "etwas, das keine Chat-Antwort ist,",
    "unreadably much": "mehr, als sich lesen lässt,",
    "unreadable call": "Das Modell {0:model} schrieb einen Werkzeugaufruf, der nicht zu lesen ist.",
    "no client": "Der HTTP-Client lässt sich nicht laden.",
    "our fault": "Die Anfrage an das Modell {0:model} scheiterte in unserem eigenen Code ({1}).",
}
_ADVICE = {
    "set key": "Trag einen gültigen Schlüssel in die Einstellungen ein.",
    "top up": "Lade es auf oder setz einen anderen Schlüssel.",
    "take one with tools": (
        "Wähl ein Modell, das es kann, oder lass es seine Aufrufe als Text schreiben: JARVIS_MODEL__TEXT_CALLS=on."
    ),
    "shorten": "Es muss gekürzt werden.",
    "say otherwise": "Frag mit anderen Worten oder wähl ein anderes Modell.",
    "check name": (
        "Wähl ein anderes mit /model, oder prüf seinen Namen und die Adresse des Endpunkts in den Einstellungen."
    ),
    "check key": "Prüf den Schlüssel oder wähl ein anderes Modell.",
    "check address": "Prüf die Adresse des Endpunkts.",
    "check server": "Prüf, ob er läuft und ob seine Adresse stimmt.",
    "correct it": "Berichtige sie.",
    "ask again": "Noch einmal zu fragen hilft vielleicht.",
    "ask later": "Frag später noch einmal.",
    "asks to wait": "Es bittet, {0:s} zu warten.",
    "report": "Bitte melde das.",
    "install afresh": "Installier das Programm neu.",
    "asked times": "Ich habe {0}-mal gefragt.",
    "days": "Das sind {0} Tage, darauf warte ich nicht.",
    "for hours": "Ich habe es stundenlang versucht und höre jetzt auf.",
    "too small": (
        "Selbst die kürzeste Anfrage passt nicht: Der Kontext des Modells {0:model} ist zu klein für meine Anweisungen "
        "und Werkzeuge."
    ),
    "holds too little": (
        "Selbst die kürzeste Anfrage passt nicht: Der Kontext des Modells {0:model} fasst {1:n} Tokens und ist zu "
        "klein für meine Anweisungen und Werkzeuge."
    ),
    "enlarge": (
        "Starte seinen Server mit größerem Kontext oder wähl ein anderes Modell, und setz JARVIS_MODEL__CONTEXT_TOKENS "
        "auf das, was es wirklich fasst."
    ),
}
_ENDS = {
    "open error": "Ungelöst: Ein Fehler ist noch offen: {0}",
    "last turn": "Ungelöst: Das kam in der letzten von {0} Runden, ungeprüft.",
    "nothing new": "Alle {0} Runden sind verbraucht, und nichts Neues kam dabei heraus. Wie soll ich weitermachen?",
    "turns used": "Alle {0} Runden sind verbraucht, zum {1:th} Mal. Soll ich weitermachen?",
    "quarantined": (
        "Dieser Lauf wurde mehr als dreimal von einem Absturz unterbrochen, ohne voranzukommen; ich starte ihn nicht "
        "noch einmal. Schreib mir, um weiterzumachen."
    ),
    "broken": "In Jarvis selbst ist etwas kaputtgegangen ({0}); Näheres steht im Log. Schreib, um weiterzumachen.",
    "nobody decided": (
        "Niemand hat den Aufruf rechtzeitig freigegeben. Lass ihn neu fragen, oder schreib mir, um ohne ihn "
        "weiterzumachen."
    ),
    "same error": "Derselbe Fehler in {0} Nachrichten, und dazwischen nichts Neues.",
    "same error as": "Derselbe Fehler in {0} Nachrichten, und dazwischen nichts Neues: {1}.",
    "no progress": "{0} Versuche in {1} Nachrichten brachten nichts Neues.",
    "no progress since": "{0} Versuche in {1} Nachrichten brachten nichts Neues; der letzte Fehler ist: {2}.",
    "tried": "Bisher versucht: {0}.",
    "what changed": "Was hat sich geändert, oder was soll ich stattdessen versuchen?",
}
_GUARDS = {
    "same again": (
        "Derselbe Fehler {0}-mal von {1} verschiedenen Befehlen: {2}. Die Diagnose stimmt vermutlich nicht."
    ),
    "same yet again": (
        "Derselbe Fehler {0}-mal von {1} verschiedenen Befehlen: {2}. Es soll genauer hinsehen oder sagen, was fehlt."
    ),
    "same too often": (
        "Derselbe Fehler kam {0}-mal von {1} verschiedenen Befehlen: {2}. Versucht: {3}. Deshalb habe ich angehalten. "
        "Wie soll ich weitermachen?"
    ),
    "failed of last": "{0} der letzten {1} Aufrufe schlugen fehl. Es soll aufhören, Varianten zu probieren.",
    "misused": "{0} Aufrufe von {1} hintereinander hatten falsche Argumente.",
    "stuck": "Es steckt fest: {0}.",
    "stuck, held": "Nicht ausgeführt: Es steckt fest, und das wurde schon gelesen; seither hat sich nichts geändert.",
    "stuck, stopped": (
        "Ich habe angehalten: {0}, zum dritten Mal in diesem Lauf, trotz zweier Hinweise. Wie soll ich weitermachen?"
    ),
    "only looked": "{1} der letzten {2} Aufrufe haben nur gelesen, {0} davon Bekanntes (T1)",
    "known before": "{0} der letzten {1} Ergebnisse waren schon bekannt (T2)",
    "nothing changed": (
        "in den letzten {1} Aufrufen wurde nichts geändert, und {0} Ergebnisse waren schon bekannt (T3)"
    ),
    "call again": "Derselbe Aufruf brachte {0}-mal dasselbe Ergebnis: `{1}`.",
    "cycle": "Es dreht sich im Kreis: dieselben {0} Aufrufe mit denselben Ergebnissen, {1} Runden lang: {2}.",
    "circle": "Es dreht sich im Kreis: {0} der letzten {1} Ergebnisse gab es schon ({2}).",
    "call held": "Nicht noch einmal ausgeführt: Derselbe Aufruf brachte das schon, seither hat sich nichts geändert.",
    "call, stopped": (
        "Ich habe angehalten: Derselbe Aufruf bringt immer dasselbe Ergebnis, auch nach einer Warnung: `{0}`."
    ),
    "circle, stopped": (
        "Ich habe angehalten: Ich drehte mich im Kreis, {0} der letzten {1} Ergebnisse waren schon bekannt."
    ),
    "after warning": (
        "Ich habe angehalten: Nach einer Warnung gab es {0} weitere bekannte Ergebnisse, das letzte von `{1}`."
    ),
    "how to go on": "So kommt nichts Neues heraus. Wie soll ich weitermachen?",
    "still open": "Noch offen: `{0}` schlug {1}-mal fehl",
    "still open as": "Noch offen: `{0}` schlug {1}-mal fehl: {2}",
    "turns left": "{0:Es bleibt|Es bleiben} {0} {0:Runde|Runden}.",
    "budget near": "{0} % des Budgets {1} sind verbraucht: {2}. Bei 100 % wird der Lauf gestoppt.",
    "of run": "dieses Laufs",
    "of user": "dieser Person für heute",
    "of all": "aller Chats für heute",
    "run spent": (
        "Gestoppt: Das Budget dieses Laufs ist verbraucht, {0}. „Weitermachen“ gibt ihm ein neues; {1} legt es fest."
    ),
    "user spent": "Gestoppt: Dein Budget für heute ist verbraucht, {0}. {1} gibt es ein neues; {2} legt es fest.",
    "all spent": (
        "Gestoppt: Das Budget aller Chats für heute ist verbraucht, {0}. {1} gibt es ein neues; {2} legt es fest."
    ),
    "at time": "Ab {0}",
    "tomorrow": "Morgen",
    "tokens": "{0:n} von {1:n} Tokens",
    "money": "{0:$} von {1:$}",
    "seconds": "{0:n} von {1:n} s Arbeit",
    "replies": "{0:n} von {1:n} Antworten des Modells",
}
_CLAIMS = {
    "green": "`{0}` ist nach der letzten Änderung grün",
    "fails": "`{0}` schlägt fehl ({1})",
    "fails with": "`{0}` schlägt fehl ({1}): {2}",
    "fails in": "`{0}` schlägt fehl ({1}): {2} und {3} mehr",
    "exit": "Exit {0}",
    "was killed": "abgebrochen",
    "timed out": "Zeit abgelaufen",
    "no answer": "die Prüfung selbst gab keine Antwort",
    "not there": "{0} ist nicht da",
    "is there": "{0} ist da",
    "no test": "für das Geänderte fand sich kein Test",
    "not run": "`{0}` wurde nicht ausgeführt: {1}",
    "needs OK": "jemand muss es freigeben",
    "no sandbox": "es gibt keine Sandbox dafür",
    "no time": "die {0:s} für Prüfungen waren um",
    "no end": "`{0}` kam in seiner Zeit zu keinem Ende",
    "not installed": "`{0}` lässt sich hier nicht ausführen: Das Programm ist nicht installiert",
    "found no test": "`{0}` fand keinen Test",
    "error open": "ein Fehler ist noch offen: {0}",
    "no such file": "{0} importiert '{1}', und diese Datei gibt es nicht",
    "no export": "{0} holt '{1}' aus '{2}', aber {3} exportiert {4}",
    "no default": "{0} holt einen Default-Export aus '{1}', aber {2} exportiert {3}",
    "nothing": "nichts",
    "and more": "{0} und {1} mehr",
    "not accepted": "Nicht als fertig angenommen: {0}.",
    "claimed early": "Noch nicht angenommen: task_complete muss der letzte Aufruf einer Antwort sein.",
    "claimed twice": "Nicht geprüft: {0}. Es wurde zweimal für fertig erklärt, ohne dass sich etwas geändert hatte.",
    "review rejects": "Noch nicht angenommen: Eine Durchsicht verwirft es: {0}.",
    "review asks": "Noch nicht angenommen: Eine Durchsicht verlangt Änderungen: {0}.",
    "not sent": "Die Antwort ging nicht hinaus, darin steht {0}.",
    "says, but": "„{0}“, aber {1}",
    "untouched": "kein Aufruf dieser Sitzung hat {0} geändert",
    "still there": "{0} ist noch da",
    "not executable": "{0} ist nicht ausführbar",
    "not listening": "an Port {0} dieser Maschine lauscht nichts",
    "tests begun": "die Tests wurden im Hintergrund begonnen, und ihr Ende wurde nicht abgewartet",
    "no test run": "in dieser Sitzung lief kein Test",
    "tests failed": "der letzte Lauf von `{0}` schlug fehl ({1})",
    "tests failed in": "der letzte Lauf von `{0}` schlug fehl ({1}: {2})",
    "changed after tests": "nach dem letzten Testlauf wurden Dateien geändert",
    "counts": "der letzte Testlauf zählt {0} bestandene",
    "never ran": "{0} lief in dieser Sitzung nicht",
    "last run failed": "der letzte Lauf von {0} schlug fehl ({1})",
    "last run begun": "{0} wurde zuletzt im Hintergrund begonnen, und das Ende wurde nicht abgewartet",
    "changed after run": "nach dem letzten Lauf von {0} wurden Dateien geändert",
    "not installed here": "hier lief keine Installation mit Erfolg",
    "no commit": "hier gelang kein Commit",
    "no push": "hier gelang kein Push",
    "no build": "in dieser Sitzung lief kein Build",
    "build failed": "der letzte Build schlug fehl ({0})",
    "build begun": "der letzte Build wurde im Hintergrund begonnen, und sein Ende wurde nicht abgewartet",
    "changed after build": "nach dem letzten Build wurden Dateien geändert",
    "no check": "in dieser Sitzung lief keine Prüfung",
    "check failed": "die letzte Prüfung schlug fehl ({0})",
    "check begun": "die letzte Prüfung wurde im Hintergrund begonnen, und ihr Ende wurde nicht abgewartet",
    "changed after check": "nach der letzten Prüfung wurden Dateien geändert",
}
CAUSES = _MODEL | _ADVICE | _ENDS | _GUARDS | _CLAIMS | ACTS


def say(value: float, kind: str) -> str:
    match kind:
        case "n":
            return number(value)
        case "s":
            return f"{figure(value)} s"
        case "$":
            return f"{figure(value)} $"
        case "th":
            return {1: "ersten", 2: "zweiten", 3: "dritten"}.get(int(value), f"{value}.")
        case _:
            return str(value)
