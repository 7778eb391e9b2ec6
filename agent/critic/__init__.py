"""The review of a finished piece of work: what the reviewer is shown, and what its answer comes to. Pure."""
