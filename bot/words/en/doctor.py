"""What the doctor finds and how to mend it, in English."""

from __future__ import annotations

from bot.words.en.times import seconds as seconds

GRADES = {"ok": "ok", "warn": "warn", "FAIL": "FAIL"}
NAMES = {
    name: name
    for name in (
        *("home", "files", "disk", "workspace", "sandbox", "user", "limits", "tools", "clock", "mode", "lock"),
        *("owner", "ops chat", "store", "token", "telegram", "privacy", "webhook", "updates", "model", "context"),
        "settings",
    )
}


def total(ok: int, warned: int, failed: int) -> str:
    return f"{ok} ok, {warned} to know, {failed} to mend"


def gigabytes(figure: float) -> str:
    return f"{figure:.1f} GB"


SAYS = {
    # -- the home folder and its surroundings
    "home later": "{0} isn't there yet; the first start makes it",
    "home no folder": "{0} is no folder of its own",
    "mend home no folder": "Set JARVIS_HOME to a real folder, not a link.",
    "home of another": "{0} belongs to another user (uid {1})",
    "mend home of another": "Run me as its owner, or: chown -R {0} {1}",
    "home open": "{0} is open to others ({1})",
    "home ours": "{0} is ours alone ({1})",
    "files open": "others may read or write {0}",
    "files ours": "{0} files, none of them open to others",
    "disk free": "{0} free at {1}",
    "mend disk full": "Make room: without it nothing can be written down, so nothing runs.",
    "mend disk low": "Make room soon.",
    "workspace later": "{0} isn't there yet; it is made when it is first needed",
    "workspace no folder": "{0} is no folder that {1} may write to",
    "mend workspace": "Give this user the right to it, or set JARVIS_RUN__WORKSPACE to another folder.",
    "sandbox unbuilt": "this release has none",
    "mend sandbox unbuilt": "Changes are asked for, unless the mode is full.",
    "sandbox none": "none works on this machine",
    "mend sandbox none": "apt-get install bubblewrap (or a kernel with Landlock); until then each change is asked for.",
    "sandbox works": "{0} works",
    "user root": "I run as root, and so does every command",
    "mend user root": "Give me a user of my own; deploy/jarvis.service shows how.",
    "limits unknown": "this system doesn't tell",
    "limits set": "NoNewPrivileges is set: sudo and other setuid programs won't work",
    "mend limits": "Wanted in most cases; else take NoNewPrivileges out of the service unit.",
    "limits unset": "NoNewPrivileges is not set here; a service unit may set it",
    "limits filtered": "NoNewPrivileges is not set here (under a seccomp filter); a service unit may set it",
    "clock old": "this machine believes it is {0}",
    "mend clock old": "Set the clock; timedatectl set-ntp true",
    "clock": "{0}",
    "clock in": "{0}, days counted in {1}",
    "clock ahead": "{0} s ahead of Telegram's",
    "clock behind": "{0} s behind Telegram's",
    # -- tools, the store, the checks themselves
    "tools damaged": "{0} can't be read: {1}",
    "mend tools damaged": "Mend {0}; until then tools.good.json, its last good copy, is used.",
    "tool aside": "{0} is set aside: {1}",
    "mend tool": "Mend its entry in {0}, or delete it with delete_tool.",
    "tools none": "no custom ones",
    "tools some": "{0} custom",
    "tools aside": "{0} more are set aside",
    "mend tools aside": "/tools shows them.",
    "store unread": "{0}",
    "mend store unread": "See above; nothing was changed.",
    "store later": "none yet; it is made at the first start",
    "store sound": "sound, schema {0}; runs unfinished: {1}, messages on their way: {2}",
    "check failed": "this check itself failed ({0})",
    "mend check failed": "Please report it; the other checks went on.",
    # -- who may talk and decide
    "mode sandbox": "sandbox: work in the workspace runs by itself, the rest is asked for",
    "mode ask": "ask: all but reading is asked for",
    "mode full": "full: everything runs without asking, for everybody from operator up",
    "mend mode full": "Meant so? Else set JARVIS_RUN__MODE=sandbox.",
    "mode for now": "now {0}, until it is changed, set in chat by {1}",
    "mode until": "now {0}, until {1}, set in chat by {2}",
    "locked": "locked by {0}: only the owner may talk",
    "mend locked": "The owner opens with /lock off.",
    "owner none": "none yet",
    "mend owner none": "Start jarvis run and send the code that it prints; or JARVIS_ACCESS__OWNER.",
    "owner settings": "{0} (settings); others who can approve: {1}",
    "owner paired": "{0} (paired); others who can approve: {1}",
    "mend owner alone": (
        "In a group what you ask for yourself wants no second person, what operators ask for waits for you alone. "
        "JARVIS_ACCESS__ADMINS adds approvers."
    ),
    "ops chat none": "none: approvals go to the run's chat or to the owner",
    "ops chat not allowed": "{0} is no allowed group and nobody who can approve",
    "mend ops chat not allowed": "Add {0} to JARVIS_ACCESS__CHATS, or nobody can press a button there.",
    "ops chat nobody": "nobody at all can approve",
    "mend ops chat nobody": "Set JARVIS_ACCESS__OWNER or JARVIS_ACCESS__ADMINS.",
    "ops chat": "{0}",
    "ops chat member": "{0} is a member and can approve",
    "ops chat no member": "nobody who can approve is a member of {0}",
    "mend ops chat no member": (
        "Invite the owner or an admin (and me) into that group, or unset JARVIS_ACCESS__OPS_CHAT."
    ),
    # -- Telegram
    "token none": "none",
    "mend token none": "Get one from @BotFather and set JARVIS_TELEGRAM__TOKEN.",
    "token refused": "Telegram refuses it",
    "mend token refused": "Get a new one from @BotFather (/token) and set JARVIS_TELEGRAM__TOKEN.",
    "token status": "Telegram answers with status {0}",
    "mend token status": "Try again; is JARVIS_TELEGRAM__API_URL right?",
    "token": "@{0}, id {1}",
    "telegram away": "can't be reached ({0})",
    "mend telegram away": "Check the network, a proxy, and JARVIS_TELEGRAM__API_URL.",
    "privacy off": "off: Telegram hands me every message of my groups; I act on those meant for me only",
    "privacy on": "on: in groups I see commands, replies to me and mentions, which is what I need",
    "webhook set": "one is set for this bot, so polling gets nothing",
    "mend webhook set": (
        "Another program uses this token, or did: stop it, then call deleteWebhook (without dropping updates)."
    ),
    "webhook failed": "Telegram's last try failed: {0}",
    "mend webhook failed": "Check WEBHOOK_URL and its certificate.",
    "updates": "no webhook in the way; {0} waiting at Telegram",
    # -- the model
    "model none": "none",
    "mend model none": "Set JARVIS_MODEL__BASE_URL and JARVIS_MODEL__NAME.",
    "model late": "no answer within {0} s",
    "mend model late": "Is the server busy or still loading the model?",
    "model failed": "{0}",
    "mend model failed": "jarvis settings shows the address, the name and whether a key is set.",
    "model calls": "{0} answers and calls tools ({1})",
    "model talks": "{0} answers, but called no tool when told to",
    "mend model talks": "Use a model (or a chat template) with tool calls, or set JARVIS_MODEL__TEXT_CALLS=on.",
    "model silent": "{0} gave no answer",
    "mend model silent": "Ask again.",
    "context small": "{0} tokens by the settings: too few to see whether the server cuts",
    "context slow": "not seen: a request of {0} tokens takes over {1} s",
    "context long": "a request of {0} tokens is too long; the settings tell {1}",
    "context cut": "the server read {0} of about {1} tokens: it cuts what it is sent",
    "context uncounted": "not seen: the server doesn't count tokens",
    "context whole": "a request of {0} tokens arrives whole; the settings tell {1}",
    "mend context": (
        "Give the server a larger context (Ollama: num_ctx, llama.cpp: --ctx-size), or set "
        "JARVIS_MODEL__CONTEXT_TOKENS to what it really takes."
    ),
}
