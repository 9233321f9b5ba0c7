## examples: see doc/architecture.md, "Folders".
