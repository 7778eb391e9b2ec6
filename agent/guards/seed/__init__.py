"""Panel `seed`: the published rules to the letter, kept as the baseline of every measurement (SPEC 2.2)."""
