## Unit tests of plugins.
