"""English. Short, plain, what happened and what to do next."""

from bot.words.en import doctor as doctor
from bot.words.en import files as files
from bot.words.en import model as model
from bot.words.en.causes import *  # noqa: F403
from bot.words.en.chat import *  # noqa: F403
from bot.words.en.commands import *  # noqa: F403
from bot.words.en.people import *  # noqa: F403
from bot.words.en.reports import *  # noqa: F403
from bot.words.en.runs import *  # noqa: F403
from bot.words.en.sessions import *  # noqa: F403
from bot.words.en.times import *  # noqa: F403
