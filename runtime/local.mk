## runtime: see doc/architecture.md, "Folders".
