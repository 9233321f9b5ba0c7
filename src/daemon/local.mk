## src/daemon: see doc/architecture.md, "Folders".
