## src/profile: see doc/architecture.md, "Folders".
