## Unit tests of cli.
