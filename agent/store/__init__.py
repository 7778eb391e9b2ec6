"""The journal and the small tables beside it, on SQLite (`sqlite.py`) and in memory (`memory.py`)."""
