"""Rules that peers publish against stuck agents, restated in our own code: the panel `baseline`, only ever measured."""
