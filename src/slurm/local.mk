## src/slurm: see doc/architecture.md, "Folders".
