"""`jarvis doctor`: looks at each part, also while the bot runs, and says how to mend what is wrong."""

from bot.doctor.exam import exam
from bot.doctor.finding import Finding, Grade, failed, render

__all__ = ["Finding", "Grade", "exam", "failed", "render"]
