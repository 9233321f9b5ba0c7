## Programs to learn from; `make check` builds them and runs the smallest.
dist_pkgdata_DATA += %reldir%/problem.json %reldir%/train.sbatch

# PyTorch programs, plain and malleable; doc/python.md shows the difference.
examples_pythondir = $(pkgdatadir)/python
dist_examples_python_DATA = \
	%reldir%/python/accelerate_malleable.py \
	%reldir%/python/char_lm.py \
	%reldir%/python/char_lm_malleable.py \
	%reldir%/python/lightning_malleable.py \
	%reldir%/python/lora_malleable.py \
	%reldir%/python/models.py \
	%reldir%/python/resnet.py \
	%reldir%/python/resnet_malleable.py \
	%reldir%/python/trackers.py \
	%reldir%/python/transformers_malleable.py

# A search, with its picture.
examples_campaigndir = $(pkgdatadir)/campaign
dist_examples_campaign_DATA = \
	%reldir%/campaign/campaign.sbatch \
	%reldir%/campaign/space.py \
	%reldir%/campaign/space.yaml \
	%reldir%/campaign/train.py
dist_examples_campaign_SCRIPTS = %reldir%/campaign/try

# What ./demo runs.
EXTRA_DIST += demo %reldir%/demo/run %reldir%/demo/plan %reldir%/demo/load \
	%reldir%/demo/rigid %reldir%/demo/common.sh %reldir%/demo/jpa \
	%reldir%/demo/jpa_report.py %reldir%/demo/trainings.json

check_PROGRAMS += %reldir%/hello_malleable
%canon_reldir%_hello_malleable_SOURCES = %reldir%/hello_malleable.c
%canon_reldir%_hello_malleable_LDADD = runtime/libgleaner.la

check_PROGRAMS += %reldir%/hello_malleable_cc
%canon_reldir%_hello_malleable_cc_SOURCES = %reldir%/hello_malleable.cc
# Its own flags, so that its object has another name than hello_malleable.c's.
%canon_reldir%_hello_malleable_cc_CXXFLAGS = $(AM_CXXFLAGS)
%canon_reldir%_hello_malleable_cc_LDADD = runtime/libgleaner.la
dist_check_SCRIPTS += %reldir%/hello_malleable.t
TESTS += %reldir%/hello_malleable.t

if HAVE_TORCH
# What `make char_lm` and ./demo build.
noinst_PROGRAMS += %reldir%/char_lm/char_lm
%canon_reldir%_char_lm_char_lm_SOURCES = \
	%reldir%/char_lm/adam.hh \
	%reldir%/char_lm/adam.cc \
	%reldir%/char_lm/main.cc \
	%reldir%/char_lm/model.hh \
	%reldir%/char_lm/model.cc \
	%reldir%/char_lm/options.hh \
	%reldir%/char_lm/options.cc \
	%reldir%/char_lm/overlap.hh \
	%reldir%/char_lm/overlap.cc \
	%reldir%/char_lm/text.hh \
	%reldir%/char_lm/text.cc
# LibTorch's headers are large: no debug information, and only -O1, where its
# templates are; Adam's loop is the only one of ours that is hot.
%canon_reldir%_char_lm_char_lm_CPPFLAGS = $(AM_CPPFLAGS) $(TORCH_CPPFLAGS)
%canon_reldir%_char_lm_char_lm_CXXFLAGS = $(AM_CXXFLAGS) -g0
%canon_reldir%_char_lm_char_lm_LDADD = runtime/libgleaner.la $(TORCH_LIBS)
endif
