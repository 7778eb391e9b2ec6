"""Parts of the guard world."""
