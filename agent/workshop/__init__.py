"""The tool workshop: custom tools in a file of ours, each entry judged by itself, the bad ones set aside."""

from agent.workshop.workshop import ToolWorkshop as ToolWorkshop
