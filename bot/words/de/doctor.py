"""What the doctor finds and how to mend it, in German."""

from __future__ import annotations

from bot.words.de.times import seconds as seconds

GRADES = {"ok": "ok", "warn": "Achtung", "FAIL": "FEHLER"}
NAMES = {
    "home": "Heimordner",
    "files": "Dateien",
    "disk": "Platte",
    "workspace": "Arbeitsordner",
    "sandbox": "Sandbox",
    "user": "Benutzer",
    "limits": "Grenzen",
    "tools": "Werkzeuge",
    "clock": "Uhr",
    "mode": "Modus",
    "lock": "Sperre",
    "owner": "Besitzer",
    "ops chat": "Ops-Chat",
    "store": "Speicher",
    "token": "Token",
    "telegram": "Telegram",
    "privacy": "Privacy",
    "webhook": "Webhook",
    "updates": "Updates",
    "model": "Modell",
    "context": "Kontext",
    "settings": "Einstellung",
}


def total(ok: int, warned: int, failed: int) -> str:
    return f"{ok} in Ordnung, {warned} zu beachten, {failed} zu beheben"


def gigabytes(figure: float) -> str:
    return f"{figure:.1f} GB".replace(".", ",")


SAYS = {
    "home later": "{0} gibt es noch nicht; der erste Start legt ihn an",
    "home no folder": "{0} ist kein eigener Ordner",
    "mend home no folder": "Setz JARVIS_HOME auf einen echten Ordner, keinen Link.",
    "home of another": "{0} gehört einem anderen Benutzer (uid {1})",
    "mend home of another": "Starte mich als dieser Benutzer, oder: chown -R {0} {1}",
    "home open": "{0} ist für andere offen ({1})",
    "home ours": "{0} gehört nur uns ({1})",
    "files open": "andere dürfen lesen oder schreiben: {0}",
    "files ours": "Dateien: {0}, keine davon für andere offen",
    "disk free": "{0} frei auf {1}",
    "mend disk full": "Schaff Platz: Sonst lässt sich nichts aufschreiben, und nichts läuft.",
    "mend disk low": "Schaff bald Platz.",
    "workspace later": "{0} gibt es noch nicht; er entsteht, wenn er gebraucht wird",
    "workspace no folder": "{0} ist kein Ordner, in den {1} schreiben darf",
    "mend workspace": "Gib diesem Benutzer das Recht dazu, oder setz JARVIS_RUN__WORKSPACE auf einen anderen Ordner.",
    "sandbox unbuilt": "diese Ausgabe hat keine",
    "mend sandbox unbuilt": "Für Änderungen wird gefragt, außer im Modus full.",
    "sandbox none": "auf dieser Maschine funktioniert keine",
    "mend sandbox none": (
        "apt-get install bubblewrap (oder ein Kernel mit Landlock); bis dahin wird für jede Änderung gefragt."
    ),
    "sandbox works": "{0} funktioniert",
    "user root": "ich laufe als root, und jeder Befehl auch",
    "mend user root": "Gib mir einen eigenen Benutzer; deploy/jarvis.service zeigt, wie.",
    "limits unknown": "dieses System sagt es nicht",
    "limits set": "NoNewPrivileges ist gesetzt: sudo und andere setuid-Programme gehen nicht",
    "mend limits": "Meist so gewollt; sonst nimm NoNewPrivileges aus der Service-Unit.",
    "limits unset": "NoNewPrivileges ist hier nicht gesetzt; eine Service-Unit kann es setzen",
    "limits filtered": (
        "NoNewPrivileges ist hier nicht gesetzt (unter einem seccomp-Filter); eine Service-Unit kann es setzen"
    ),
    "clock old": "diese Maschine glaubt, es sei {0}",
    "mend clock old": "Stell die Uhr; timedatectl set-ntp true",
    "clock": "{0}",
    "clock in": "{0}, Tage gezählt in {1}",
    "clock ahead": "{0} s vor der von Telegram",
    "clock behind": "{0} s hinter der von Telegram",
    "tools damaged": "{0} ist nicht zu lesen: {1}",
    "mend tools damaged": "Berichtige {0}; bis dahin gilt tools.good.json, die letzte gute Kopie.",
    "tool aside": "{0} ist beiseitegelegt: {1}",
    "mend tool": "Berichtige den Eintrag in {0}, oder lösch ihn mit delete_tool.",
    "tools none": "keine eigenen",
    "tools some": "eigene: {0}",
    "tools aside": "{0} weitere sind beiseitegelegt",
    "mend tools aside": "/tools zeigt sie.",
    "store unread": "{0}",
    "mend store unread": "Siehe oben; nichts wurde geändert.",
    "store later": "noch keiner; der erste Start legt ihn an",
    "store sound": "in Ordnung, Schema {0}; offene Läufe: {1}, Nachrichten unterwegs: {2}",
    "check failed": "diese Prüfung selbst ist gescheitert ({0})",
    "mend check failed": "Bitte melde es; die anderen Prüfungen liefen weiter.",
    "mode sandbox": "sandbox: Arbeit im Arbeitsordner läuft von selbst, für den Rest wird gefragt",
    "mode ask": "ask: Für alles außer Lesen wird gefragt",
    "mode full": "full: Alles läuft ohne Nachfrage, für jeden ab Operator",
    "mend mode full": "So gewollt? Sonst setz JARVIS_RUN__MODE=sandbox.",
    "mode for now": "jetzt {0}, bis ihn jemand ändert, im Chat gesetzt von {1}",
    "mode until": "jetzt {0}, bis {1}, im Chat gesetzt von {2}",
    "locked": "gesperrt von {0}: Nur der Besitzer darf mit mir reden",
    "mend locked": "Der Besitzer öffnet mit /lock off.",
    "owner none": "noch keiner",
    "mend owner none": "Starte jarvis run und schick den Code, den es ausgibt; oder setz JARVIS_ACCESS__OWNER.",
    "owner settings": "{0} (Einstellungen); weitere, die freigeben können: {1}",
    "owner paired": "{0} (gekoppelt); weitere, die freigeben können: {1}",
    "mend owner alone": (
        "In einer Gruppe braucht dein eigener Wunsch keine zweite Person; was Operatoren wollen, wartet allein auf "
        "dich. JARVIS_ACCESS__ADMINS fügt weitere hinzu."
    ),
    "ops chat none": "keiner: Freigaben gehen in den Chat des Laufs oder an den Besitzer",
    "ops chat not allowed": "{0} ist keine erlaubte Gruppe und niemand, der freigeben kann",
    "mend ops chat not allowed": "Füg {0} zu JARVIS_ACCESS__CHATS hinzu, sonst kann dort niemand einen Knopf drücken.",
    "ops chat nobody": "niemand kann freigeben",
    "mend ops chat nobody": "Setz JARVIS_ACCESS__OWNER oder JARVIS_ACCESS__ADMINS.",
    "ops chat": "{0}",
    "ops chat member": "{0} ist Mitglied und kann freigeben",
    "ops chat no member": "niemand, der freigeben kann, ist Mitglied von {0}",
    "mend ops chat no member": (
        "Lade den Besitzer oder einen Admin (und mich) in diese Gruppe ein, oder entfern JARVIS_ACCESS__OPS_CHAT."
    ),
    "token none": "keiner",
    "mend token none": "Hol einen von @BotFather und setz JARVIS_TELEGRAM__TOKEN.",
    "token refused": "Telegram lehnt ihn ab",
    "mend token refused": "Hol einen neuen von @BotFather (/token) und setz JARVIS_TELEGRAM__TOKEN.",
    "token status": "Telegram antwortet mit Status {0}",
    "mend token status": "Versuch es noch einmal; stimmt JARVIS_TELEGRAM__API_URL?",
    "token": "@{0}, Nummer {1}",
    "telegram away": "nicht zu erreichen ({0})",
    "mend telegram away": "Prüf das Netzwerk, einen Proxy und JARVIS_TELEGRAM__API_URL.",
    "privacy off": "aus: Telegram gibt mir jede Nachricht meiner Gruppen; ich handle nur, wo ich gemeint bin",
    "privacy on": "an: In Gruppen sehe ich Befehle, Antworten an mich und Erwähnungen; mehr brauche ich nicht",
    "webhook set": "für diesen Bot ist einer gesetzt, darum kommt beim Abholen nichts an",
    "mend webhook set": (
        "Ein anderes Programm benutzt diesen Token, oder tat es: Stopp es, dann ruf deleteWebhook auf (ohne Updates zu "
        "verwerfen)."
    ),
    "webhook failed": "Telegrams letzter Versuch scheiterte: {0}",
    "mend webhook failed": "Prüf WEBHOOK_URL und das Zertifikat.",
    "updates": "kein Webhook im Weg; bei Telegram warten: {0}",
    "model none": "keines",
    "mend model none": "Setz JARVIS_MODEL__BASE_URL und JARVIS_MODEL__NAME.",
    "model late": "keine Antwort binnen {0} s",
    "mend model late": "Ist der Server beschäftigt, oder lädt er das Modell noch?",
    "model failed": "{0}",
    "mend model failed": "jarvis settings zeigt die Adresse, den Namen und ob ein Schlüssel gesetzt ist.",
    "model calls": "{0} antwortet und ruft Werkzeuge auf ({1})",
    "model talks": "{0} antwortet, rief aber auf Anweisung kein Werkzeug auf",
    "mend model talks": (
        "Nimm ein Modell (oder eine Chat-Vorlage) mit Werkzeugaufrufen, oder setz JARVIS_MODEL__TEXT_CALLS=on."
    ),
    "model silent": "{0} gab keine Antwort",
    "mend model silent": "Frag noch einmal.",
    "context small": "{0} Tokens laut Einstellungen: zu wenig, um zu sehen, ob der Server abschneidet",
    "context slow": "nicht zu sehen: Eine Anfrage von {0} Tokens dauert über {1} s",
    "context long": "eine Anfrage von {0} Tokens ist zu lang; eingestellt sind {1}",
    "context cut": "der Server las {0} von etwa {1} Tokens: Er schneidet ab, was er bekommt",
    "context uncounted": "nicht zu sehen: Der Server zählt keine Tokens",
    "context whole": "eine Anfrage von {0} Tokens kommt ganz an; eingestellt sind {1}",
    "mend context": (
        "Gib dem Server mehr Kontext (Ollama: num_ctx, llama.cpp: --ctx-size), oder setz JARVIS_MODEL__CONTEXT_TOKENS "
        "auf das, was er wirklich nimmt."
    ),
}
