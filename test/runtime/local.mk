# The program that the runtime's tests train.
check_PROGRAMS += %reldir%/trainer
%canon_reldir%_trainer_SOURCES = %reldir%/trainer.c
%canon_reldir%_trainer_LDADD = runtime/libgleaner.la

# Alone, without a coordinator: every sample once.
dist_check_SCRIPTS += %reldir%/alone.t
TESTS += %reldir%/alone.t
