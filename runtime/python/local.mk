## The Python package `gleaner`: `make install` puts it beside the interpreter's
## own packages; `pip install ./runtime/python` is the other way.
python_package = \
	%reldir%/gleaner/__init__.py \
	%reldir%/gleaner/_declarations.py \
	%reldir%/gleaner/accelerate.py \
	%reldir%/gleaner/buffers.py \
	%reldir%/gleaner/busy.py \
	%reldir%/gleaner/checkpoint.py \
	%reldir%/gleaner/choice.py \
	%reldir%/gleaner/converted.py \
	%reldir%/gleaner/core.py \
	%reldir%/gleaner/device.py \
	%reldir%/gleaner/digests.py \
	%reldir%/gleaner/early.py \
	%reldir%/gleaner/encoding.py \
	%reldir%/gleaner/evaluation.py \
	%reldir%/gleaner/feed.py \
	%reldir%/gleaner/following.py \
	%reldir%/gleaner/gradients.py \
	%reldir%/gleaner/job.py \
	%reldir%/gleaner/lightning.py \
	%reldir%/gleaner/loader.py \
	%reldir%/gleaner/means.py \
	%reldir%/gleaner/memory.py \
	%reldir%/gleaner/optimizer_state.py \
	%reldir%/gleaner/parameters.py \
	%reldir%/gleaner/places.py \
	%reldir%/gleaner/prefetch.py \
	%reldir%/gleaner/py.typed \
	%reldir%/gleaner/randomness.py \
	%reldir%/gleaner/reductions.py \
	%reldir%/gleaner/refusals.py \
	%reldir%/gleaner/running_statistics.py \
	%reldir%/gleaner/state.py \
	%reldir%/gleaner/stream.py \
	%reldir%/gleaner/transformers.py \
	%reldir%/gleaner/trial_weight.py \
	%reldir%/gleaner/update.py \
	%reldir%/gleaner/versions.py \
	%reldir%/gleaner/workers.py
EXTRA_DIST += $(python_package) %reldir%/pyproject.toml

# `gleaner campaign`: a program, and the package that it consists of.
campaign_package = \
	%reldir%/gleaner_campaign/__init__.py \
	%reldir%/gleaner_campaign/bounded.py \
	%reldir%/gleaner_campaign/budget.py \
	%reldir%/gleaner_campaign/campaign.py \
	%reldir%/gleaner_campaign/command.py \
	%reldir%/gleaner_campaign/document.py \
	%reldir%/gleaner_campaign/evolution.py \
	%reldir%/gleaner_campaign/exits.py \
	%reldir%/gleaner_campaign/holder.py \
	%reldir%/gleaner_campaign/journal.py \
	%reldir%/gleaner_campaign/liveness.py \
	%reldir%/gleaner_campaign/methods.py \
	%reldir%/gleaner_campaign/plots.py \
	%reldir%/gleaner_campaign/record.py \
	%reldir%/gleaner_campaign/refusal.py \
	%reldir%/gleaner_campaign/rungs.py \
	%reldir%/gleaner_campaign/space.py \
	%reldir%/gleaner_campaign/spec.py \
	%reldir%/gleaner_campaign/training.py \
	%reldir%/gleaner_campaign/values.py \
	%reldir%/gleaner_campaign/views.py \
	%reldir%/gleaner_campaign/waiting.py \
	%reldir%/gleaner_campaign/weight.py \
	%reldir%/gleaner_campaign/worker.py
# End of campaign_package
EXTRA_DIST += $(campaign_package) %reldir%/gleaner-campaign.in

if HAVE_PYTHON
gleanerpythondir = $(pythondir)/gleaner
gleanerpython_DATA = $(python_package) %reldir%/library-path

# Where the package finds the library that was installed with it.
%reldir%/library-path: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && echo '$(libdir)/libgleaner.so.0' >$@
CLEANFILES += %reldir%/library-path

gleanercampaigndir = $(pythondir)/gleaner_campaign
gleanercampaign_DATA = $(campaign_package)
pkglibexec_SCRIPTS += %reldir%/gleaner-campaign
%reldir%/gleaner-campaign: %reldir%/gleaner-campaign.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	sed -e 's|@PYTHON[@]|$(PYTHON)|' -e 's|@pythondir[@]|$(pythondir)|' \
	  '$(srcdir)/%reldir%/gleaner-campaign.in' >$@-new && chmod +x $@-new && \
	mv $@-new $@
# Where the program finds the package before it is installed.
noinst_DATA += %reldir%/source-path
%reldir%/source-path: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && echo '$(abs_top_srcdir)/%reldir%' >$@
CLEANFILES += %reldir%/gleaner-campaign %reldir%/source-path
endif

## `make wheel`: the package and its library in one file, for any Python 3.9 or
## newer, with nothing but glibc from outside.
wheel: runtime/libgleaner.la
	CXX='$(CXX)' $(srcdir)/packaging/wheel . wheel
.PHONY: wheel
