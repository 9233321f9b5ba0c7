## src/cli: see doc/architecture.md, "Folders".
