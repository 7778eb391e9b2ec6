"""The policy: to which tier a call belongs, by a real parse of what it says. Pure."""

from agent.policy.judge import command_of as command_of
from agent.policy.judge import judge as judge
from agent.policy.judge import subject as subject
from agent.policy.modes import Answer as Answer
from agent.policy.modes import answer as answer
from agent.policy.verdict import Judgement as Judgement
from agent.policy.verdict import Questions as Questions
from agent.policy.verdict import Scene as Scene
from agent.policy.verdict import Tier as Tier
from agent.policy.verdict import World as World
