"""How a command ended: the rules are pure and stand in agent.outcome."""

from agent.commandline import last_chain as last_chain
from agent.outcome import Ending as Ending
from agent.outcome import answers_no as answers_no
from agent.outcome import ending as ending
from agent.outcome import error_shaped as error_shaped
