"""The phrases by which operating systems name an error, in English, German and French, as one canonical phrase each.

Taken from the message catalogues of glibc 2.36, bash 5.2 and dash; Node's and Go's spellings differ only in case.
"""

from __future__ import annotations

import re

_TABLE = """
No such file or directory|Datei oder Verzeichnis nicht gefunden|Aucun fichier ou dossier de ce type
Permission denied|Keine Berechtigung|Permission non accordée
Operation not permitted|Die Operation ist nicht erlaubt|Opération non permise
File exists|Die Datei existiert bereits|Le fichier existe|file already exists
Not a directory|Ist kein Verzeichnis|N'est pas un dossier
Is a directory|Ist ein Verzeichnis|est un dossier|illegal operation on a directory
Directory not empty|Das Verzeichnis ist nicht leer|Le dossier n'est pas vide
No space left on device|Auf dem Gerät ist kein Speicherplatz mehr verfügbar|Aucun espace disponible sur le périphérique
Read-only file system|Das Dateisystem ist nur lesbar|Système de fichiers accessible en lecture seulement
Device or resource busy|Das Gerät oder die Ressource ist belegt|Périphérique ou ressource occupé
Invalid cross-device link|Ungültiger Link über Gerätegrenzen hinweg|Lien physique inter-périphérique invalide
Invalid argument|Das Argument ist ungültig|Argument invalide
Input/output error|Eingabe-/Ausgabefehler|Erreur d'entrée/sortie
Broken pipe|Datenübergabe unterbrochen|Relais brisé
Connection refused|Verbindungsaufbau abgelehnt|Connexion refusée
Connection reset by peer|Die Verbindung wurde vom Kommunikationspartner zurückgesetzt|Connexion ré-initialisée par le correspondant
Software caused connection abort|Das Programm verursachte den Abbruch der Verbindung|Le logiciel a provoqué l'abandon de la connexion
Connection timed out|Die Wartezeit für die Verbindung ist abgelaufen|Connexion terminée par expiration du délai d'attente
No route to host|Keine Route zum Zielrechner|Aucun chemin d'accès pour atteindre l'hôte cible
Network is unreachable|Das Netzwerk ist nicht erreichbar|Le réseau n'est pas accessible
Address already in use|Die Adresse wird bereits verwendet|Adresse déjà utilisée
Cannot assign requested address|Die angeforderte Adresse kann nicht zugewiesen werden|Ne peut attribuer l'adresse demandée
Too many levels of symbolic links|Zu viele Ebenen aus symbolischen Links|Trop de niveaux de liens symboliques
Too many open files|Zu viele offene Dateien|Trop de fichiers ouverts
Too many open files in system|Zu viele offene Dateien im System|Trop de fichiers ouverts dans le système
File name too long|Der Dateiname ist zu lang|Nom de fichier trop long|name too long
Text file busy|Das Programm kann nicht ausgeführt oder verändert werden|Fichier texte occupé
Exec format error|Fehler im Format der Programmdatei|Erreur de format pour exec
Resource temporarily unavailable|Die Ressource ist zur Zeit nicht verfügbar|Ressource temporairement non disponible
Cannot allocate memory|Nicht genügend Hauptspeicher verfügbar|Ne peut allouer de la mémoire
File too large|Die Datei ist zu groß|Fichier trop gros
Operation not supported|Die Operation wird nicht unterstützt|Opération non supportée
No such device|Kein passendes Gerät gefunden|Aucun périphérique de ce type
No such device or address|Aucun périphérique ou adresse
No such process|Kein passender Prozess gefunden|Aucun processus de ce type
No child processes|Keine Kind-Prozesse|Aucun processus enfant
Bad file descriptor|Ungültiger Dateideskriptor|Mauvais descripteur de fichier
Disk quota exceeded|Der zugewiesene Plattenplatz|Débordement du quota d'espace disque
Transport endpoint is not connected|Der Socket ist nicht verbunden|Noeud final de transport n'est pas connecté
Inappropriate ioctl for device|Unpassender IOCTL|Ioctl
Argument list too long|Die Argumentliste ist zu lang|Liste d'arguments trop longue
Function not implemented|Die angeforderte Funktion ist nicht implementiert|Fonction non implantée
Host is down|Der Rechner ist nicht aktiv|L'hôte cible est arrêté ou en panne
Stale file handle|Veraltete Dateizugriffsnummer|Panne d'accès au fichier
Resource deadlock avoided|Verklemmung beim Zugriff auf eine Ressource vermieden|Blocage évité des accès aux ressources
Name or service not known|Der Name oder der Dienst ist nicht bekannt|Nom ou service inconnu
Temporary failure in name resolution|Temporärer Fehler bei der Namensauflösung|Échec temporaire dans la résolution du nom
No address associated with hostname|Zu diesem Hostnamen gehört keine Adresse|Aucune adresse associée avec le nom de l'hôte
command not found|Kommando nicht gefunden|commande introuvable
required file not found
unbound variable|variable sans liaison
readonly variable|Schreibgeschützte Variable|variable en lecture seule
"""  # noqa: E501

_BOUNDARY = re.compile(r"[()]")
CANONICAL: dict[str, str] = {
    _BOUNDARY.split(phrase.lower())[0].strip(): line.split("|")[0]
    for line in _TABLE.strip().splitlines()
    for phrase in line.split("|")
}
_FIRST_WORDS = frozenset(phrase.partition(" ")[0] for phrase in CANONICAL)
_DETAIL = re.compile(r"""\s(?:[\d'"/~.\[]|on |for )""")


def canonical(segment: str) -> str:
    """The phrase that a piece of an error line consists of, in its English form; "" if it is none."""
    low = segment.strip(" .\t").lower()
    if low.partition(" ")[0] not in _FIRST_WORDS:
        return ""
    if found := CANONICAL.get(low):
        return found
    detail = _DETAIL.search(low)  # "address already in use 127.0.0.1"
    return CANONICAL.get(low[: detail.start()], "") if detail else ""
