"""The web for the model: pages as text and a search, from public addresses alone."""

from agent.web.client import Web
from agent.web.search import Search, search_for

__all__ = ["Search", "Web", "search_for"]
