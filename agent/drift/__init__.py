"""Drift between files: names that one file takes from another which that one doesn't give. Pure: JavaScript and
TypeScript by tree-sitter, Python by `ast`. What can't be known is never reported."""
