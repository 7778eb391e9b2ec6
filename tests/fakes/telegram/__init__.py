"""A strict Bot API server for tests. Rules and wording follow https://core.telegram.org/bots/api."""

from tests.fakes.telegram.chats import OWNER
from tests.fakes.telegram.faults import Fault, FloodLimits
from tests.fakes.telegram.server import TOKEN, FakeTelegram
from tests.fakes.telegram.wire import ApiCall

__all__ = ["OWNER", "TOKEN", "ApiCall", "FakeTelegram", "Fault", "FloodLimits"]
