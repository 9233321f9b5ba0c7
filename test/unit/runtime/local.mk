## Unit tests of runtime.
