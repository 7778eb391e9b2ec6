"""Who may talk and who decides, in German."""

from __future__ import annotations

from bot.words.de.times import number

RUN_ONCE, DENY, THIS_SESSION, ASK_AGAIN = (
    "Einmal ausführen",
    "Ablehnen",
    "Genau diesen Befehl, ganze Sitzung",
    "Neu fragen",
)
NOT_SHOWN = "(wer hier fragt, sagt nicht, was)"
ADMINS_DECIDE = "Das kann nur ein Admin oder der Besitzer entscheiden."
SECOND_PERSON = "Das wolltest du selbst: Freigeben muss es jemand anders, ein Admin oder der Besitzer."
ALREADY = "Das ist schon entschieden oder wird nicht mehr gefragt."
ALLOWED = "Freigegeben: Es läuft jetzt."
DENIED = "Abgelehnt. Das Modell erfährt es."
ASKED_AGAIN = "Neu gefragt, unten."
NO_LONGER = "■ Wird nicht mehr gefragt."
EXPIRED_CARD = "⌛ Niemand hat rechtzeitig entschieden; der Lauf wartet."
ASKED_ELSEWHERE = "Das braucht ein OK. Ich habe dort gefragt, wo es gegeben werden kann; bis dahin wartet der Lauf."


def needs_ok(reason: str) -> str:
    return f"Braucht dein OK: {reason}"


def asked_by(cwd: str, asker: str) -> str:
    return f"in {cwd or '/'} · gewünscht von {asker or 'dir'} · 15 min"


def only_you(chat: str) -> str:
    return (
        f"Ein Lauf in der Gruppe {chat} wartet auf ein OK, das nur du geben kannst: Die Karte steht dort. Bist du "
        "nicht in der Gruppe, mach jemanden darin zum Admin: /users und die Nummer."
    )


def in_full_above(length: int, digest: str) -> str:
    return f"⋯ {number(length)} Zeichen, alle stehen darüber · sha256 {digest} ⋯"


def decided(verdict: str, who: str, reason: str) -> str:
    match verdict:
        case "allow":
            return f"✓ Freigegeben von {who or 'dir'}{' für diese Sitzung' if reason == 'session' else ''}."
        case "deny":
            return f"✗ Abgelehnt von {who or 'dir'}."
        case _:
            return "■ Von einer Nachricht zurückgezogen."


CHOICES = {"admin": "Admin", "operator": "Operator", "viewer": "Viewer", "remove": "Entfernen", "ignore": "Ignorieren"}
PAIRED = "Du bist jetzt mein Besitzer. Sag mir einfach, was zu tun ist. /users zeigt, wer mit mir reden darf."
OWNER_DECIDES = "Nur der Besitzer entscheidet, wer mit mir reden darf."
IN_SETTINGS = "Diese Person steht in den Einstellungen; der Chat kann das nicht ändern."
USERS_USAGE = "Schreib /users für die Liste, oder /users und eine Nummer, um jemanden hereinzulassen oder zu ändern."


def only(least: str) -> str:
    who = "der Besitzer" if least == "owner" else f"der Besitzer oder ein {least.capitalize()}"
    return f"Das kann nur {who}."


def pairing(code: str, bot: str, minutes: int) -> str:
    to = f"@{bot}" if bot else "den Bot"
    return f"Pairing-Code: {code}\nSchick ihn binnen {minutes} Minuten privat an {to}, um Besitzer zu werden."


def newcomer(person_id: int, name: str) -> str:
    who = f"Nummer {person_id}, nennt sich: {name or '(kein Name)'}"
    return f"Jemand Neues möchte herein.\n{who}\nLass nur herein, wen du kennst."


def numbered(person: str, name: str) -> str:
    return f"Nummer {person} ({name})" if name else f"Nummer {person}"


def about(person_id: int, name: str, role: str) -> str:
    return f"Nummer {person_id}{f' ({name})' if name else ''}: {role}"


def now_is(person_id: int, name: str, role: str) -> str:
    match role:
        case "remove":
            return f"{about(person_id, name, 'darf nicht mehr mit mir reden')}."
        case "ignored":
            return f"{about(person_id, name, 'ignoriert')}. Ich frage nicht mehr danach."
        case _:
            return f"{about(person_id, name, role.capitalize())}, ab jetzt."


def welcome(role: str) -> str:
    asks = "Sag mir einfach, was zu tun ist." if role != "viewer" else "Du darfst zusehen: /status."
    return f"Der Besitzer hat dich als {role.capitalize()} hereingelassen. {asks} /help zeigt die Befehle."


def added(by: int | None, day: str) -> str:
    return f"hinzugefügt von {by}, {day}" if by is not None else f"über den Code, {day}"
