"""Deutsch. Kurz und klar: was geschehen ist und was als Nächstes zu tun ist."""

from bot.words.de import doctor as doctor
from bot.words.de import files as files
from bot.words.de import model as model
from bot.words.de.causes import *  # noqa: F403
from bot.words.de.chat import *  # noqa: F403
from bot.words.de.commands import *  # noqa: F403
from bot.words.de.people import *  # noqa: F403
from bot.words.de.reports import *  # noqa: F403
from bot.words.de.runs import *  # noqa: F403
from bot.words.de.sessions import *  # noqa: F403
from bot.words.de.times import *  # noqa: F403
