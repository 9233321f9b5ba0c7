## Unit tests of slurm.
