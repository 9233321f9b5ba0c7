## src/alloc: see doc/architecture.md, "Folders".
