## Unit tests of daemon.
