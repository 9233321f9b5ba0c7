# The program that the runtime's tests train.
check_PROGRAMS += %reldir%/trainer
%canon_reldir%_trainer_SOURCES = %reldir%/trainer.c
%canon_reldir%_trainer_LDADD = runtime/libgleaner.la
check_PROGRAMS += %reldir%/sines
%canon_reldir%_sines_SOURCES = %reldir%/sines.c
%canon_reldir%_sines_LDADD = runtime/libgleaner.la -lm

runtime_tests = \
	%reldir%/alone.t \
	%reldir%/deterministic.t \
	%reldir%/end.t \
	%reldir%/events_max.t \
	%reldir%/follow.t \
	%reldir%/listen.t \
	%reldir%/loss.t \
	%reldir%/mpi_loss.t \
	%reldir%/mpi_overlap.t \
	%reldir%/mpi_processes.t \
	%reldir%/mpi_resize.t \
	%reldir%/output.t \
	%reldir%/overlap.t \
	%reldir%/park.t \
	%reldir%/parts.t \
	%reldir%/recompute.t \
	%reldir%/resize.t \
	%reldir%/secret.t \
	%reldir%/shared.t \
	%reldir%/stalled_disk.t \
	%reldir%/stop.t \
	%reldir%/stuck.t
dist_check_SCRIPTS += $(runtime_tests)
TESTS += $(runtime_tests)
EXTRA_DIST += %reldir%/training.sh
