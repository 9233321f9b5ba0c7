if HAVE_CATCH2
check_PROGRAMS += %reldir%/test_core
TESTS += %reldir%/test_core
%canon_reldir%_test_core_SOURCES = \
	%reldir%/choice_test.cc \
	%reldir%/config_test.cc \
	%reldir%/contract_test.cc \
	%reldir%/event_log_parts_test.cc \
	%reldir%/features_test.cc \
	%reldir%/fits_test.cc \
	%reldir%/free_nodes_test.cc \
	%reldir%/importance_test.cc \
	%reldir%/lease_template_test.cc \
	%reldir%/log_test.cc \
	%reldir%/node_set_test.cc \
	%reldir%/output_pattern_test.cc \
	%reldir%/part_size_test.cc \
	%reldir%/quantile_test.cc \
	%reldir%/place_test.cc \
	%reldir%/resources_test.cc \
	%reldir%/slurm_time_test.cc
%canon_reldir%_test_core_CPPFLAGS = $(AM_CPPFLAGS) $(CATCH2_CFLAGS)
%canon_reldir%_test_core_LDADD = test/unit/libtestmain.la src/core/libconfig.la src/core/libcore.la
endif
