## Unit tests of alloc.
