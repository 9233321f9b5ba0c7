## doc: see doc/architecture.md, "Folders".
