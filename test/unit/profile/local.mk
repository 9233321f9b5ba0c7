## Unit tests of profile.
