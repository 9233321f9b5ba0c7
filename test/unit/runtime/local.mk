## The manual of the runtime's calls.
dist_check_SCRIPTS += %reldir%/manual.t
TESTS += %reldir%/manual.t
