## The Python package, with PyTorch: `make check` runs these where it was found.
python_tests = \
	%reldir%/alone.py \
	%reldir%/buffers.py \
	%reldir%/campaign.py \
	%reldir%/campaign_example.py \
	%reldir%/campaign_kills.py \
	%reldir%/campaign_methods.py \
	%reldir%/campaign_plot.py \
	%reldir%/campaign_rules.py \
	%reldir%/changes.py \
	%reldir%/choosing.py \
	%reldir%/declarations.py \
	%reldir%/deterministic.py \
	%reldir%/documentation.py \
	%reldir%/ending.py \
	%reldir%/features.py \
	%reldir%/following.py \
	%reldir%/install.py \
	%reldir%/loading.py \
	%reldir%/members.py \
	%reldir%/on_device.py \
	%reldir%/overlap.py \
	%reldir%/owner.py \
	%reldir%/parts.py \
	%reldir%/reducing.py \
	%reldir%/reference.py \
	%reldir%/refusals.py \
	%reldir%/same_numbers.py \
	%reldir%/saved.py \
	%reldir%/trackers.py \
	%reldir%/wheel.py
EXTRA_DIST += $(python_tests) %reldir%/cases.py \
	%reldir%/choosing_trainer.py %reldir%/following_trainer.py %reldir%/owner_trainer.py %reldir%/reducing_trainer.py \
	%reldir%/reference_cases.py \
	%reldir%/reference_trainer.py %reldir%/support.py \
	%reldir%/trainer.py
if HAVE_PYTHON
TESTS += $(python_tests)
endif

## `make check-frameworks`: Lightning's and Hugging Face's Trainer and Accelerate, with
## packages of PyPI in an environment of their own, which is kept between runs.
framework_tests = \
	%reldir%/frameworks.py
EXTRA_DIST += $(framework_tests) %reldir%/accelerate_trainer.py %reldir%/framework_order.py \
	%reldir%/framework_packages.txt %reldir%/hf_trainer.py \
	%reldir%/lightning_trainer.py
FRAMEWORKS = $(abs_builddir)/frameworks
$(FRAMEWORKS)/complete: %reldir%/framework_packages.txt
	rm -rf $(FRAMEWORKS)
	$(PYTHON) -m venv --system-site-packages $(FRAMEWORKS)
	$(FRAMEWORKS)/bin/pip install --quiet --no-deps -r $(srcdir)/%reldir%/framework_packages.txt
	touch $@
check-frameworks: $(FRAMEWORKS)/complete runtime/libgleaner.la \
		runtime/coordinator/gleaner-coordinator
	failed=0; for test in $(framework_tests); do \
	  top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_builddir) \
	    $(FRAMEWORKS)/bin/python $(srcdir)/$$test || failed=1; \
	done; exit $$failed
.PHONY: check-frameworks
