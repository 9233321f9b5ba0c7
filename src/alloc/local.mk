## src/alloc: see doc/architecture.md, "Folders".
noinst_LTLIBRARIES += %reldir%/liballoc.la
%canon_reldir%_liballoc_la_SOURCES = \
	%reldir%/allocator.hh \
	%reldir%/by_kinds.hh \
	%reldir%/by_kinds.cc \
	%reldir%/cautious.hh \
	%reldir%/cautious.cc \
	%reldir%/cohorts.hh \
	%reldir%/cohorts.cc \
	%reldir%/counts.hh \
	%reldir%/counts.cc \
	%reldir%/cuts.hh \
	%reldir%/cuts.cc \
	%reldir%/equal_share.hh \
	%reldir%/equal_share.cc \
	%reldir%/exact.hh \
	%reldir%/exact.cc \
	%reldir%/hole_needs.hh \
	%reldir%/hole_needs.cc \
	%reldir%/hulls.hh \
	%reldir%/hulls.cc \
	%reldir%/kind_component.hh \
	%reldir%/kind_component.cc \
	%reldir%/kind_counts.hh \
	%reldir%/kind_counts.cc \
	%reldir%/kind_flow.hh \
	%reldir%/kind_flow.cc \
	%reldir%/kind_placement.hh \
	%reldir%/kind_placement.cc \
	%reldir%/knapsack.hh \
	%reldir%/knapsack.cc \
	%reldir%/knapsack_dense.cc \
	%reldir%/make_allocator.cc \
	%reldir%/milp.hh \
	%reldir%/moves.hh \
	%reldir%/moves.cc \
	%reldir%/placement.hh \
	%reldir%/placement.cc \
	%reldir%/problem_json.hh \
	%reldir%/problem_json.cc \
	%reldir%/repair.hh \
	%reldir%/repair.cc \
	%reldir%/speed_outline.hh \
	%reldir%/speed_outline.cc \
	%reldir%/spans.hh \
	%reldir%/spans.cc \
	%reldir%/unbounded.cc \
	%reldir%/visiting.hh \
	%reldir%/visiting.cc \
	%reldir%/worth.hh \
	%reldir%/work.hh \
	%reldir%/worth.cc
# Loops over curves and capacities; -O2 alone vectorises few of them.
%canon_reldir%_liballoc_la_CXXFLAGS = $(AM_CXXFLAGS) \
	-ftree-vectorize -fvect-cost-model=dynamic
%canon_reldir%_liballoc_la_LIBADD = src/core/libcore.la

# Policy milp is for comparison.  gleanerd, which has no use for it, links the
# second of these and not CBC.
noinst_LTLIBRARIES += %reldir%/libmilp.la %reldir%/libmilp_absent.la
%canon_reldir%_libmilp_absent_la_SOURCES = %reldir%/milp_absent.cc
if HAVE_CBC
%canon_reldir%_libmilp_la_SOURCES = %reldir%/milp.cc
%canon_reldir%_libmilp_la_CPPFLAGS = $(AM_CPPFLAGS) $(CBC_CPPFLAGS)
%canon_reldir%_libmilp_la_LIBADD = $(CBC_LIBS)
else
%canon_reldir%_libmilp_la_SOURCES = %reldir%/milp_absent.cc
endif
