## plugins: see doc/architecture.md, "Folders".
