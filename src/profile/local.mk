## src/profile: see doc/architecture.md, "Folders".
noinst_LTLIBRARIES += %reldir%/libprofile.la
%canon_reldir%_libprofile_la_SOURCES = \
	%reldir%/advisor.hh \
	%reldir%/advisor.cc \
	%reldir%/agreement.hh \
	%reldir%/agreement.cc \
	%reldir%/cholesky.hh \
	%reldir%/largest_share.hh \
	%reldir%/largest_share.cc \
	%reldir%/learned.hh \
	%reldir%/learned.cc \
	%reldir%/learned_json.hh \
	%reldir%/learned_json.cc \
	%reldir%/node_market.hh \
	%reldir%/node_market.cc \
	%reldir%/pace.hh \
	%reldir%/profile_budget.hh \
	%reldir%/profile_budget.cc \
	%reldir%/profile_desk.hh \
	%reldir%/profile_desk.cc \
	%reldir%/scaling_curve.hh \
	%reldir%/scaling_curve.cc \
	%reldir%/step_fit.hh \
	%reldir%/step_fit.cc \
	%reldir%/step_model.hh \
	%reldir%/step_model.cc \
	%reldir%/visit_worth.hh \
	%reldir%/visit_worth.cc
