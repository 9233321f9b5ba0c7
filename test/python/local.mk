## The Python package, with PyTorch: `make check` runs these where it was found.
python_tests = \
	%reldir%/alone.py \
	%reldir%/buffers.py \
	%reldir%/campaign.py \
	%reldir%/campaign_example.py \
	%reldir%/campaign_kills.py \
	%reldir%/campaign_plot.py \
	%reldir%/campaign_rules.py \
	%reldir%/changes.py \
	%reldir%/declarations.py \
	%reldir%/deterministic.py \
	%reldir%/documentation.py \
	%reldir%/ending.py \
	%reldir%/features.py \
	%reldir%/install.py \
	%reldir%/loading.py \
	%reldir%/members.py \
	%reldir%/on_device.py \
	%reldir%/overlap.py \
	%reldir%/parts.py \
	%reldir%/reference.py \
	%reldir%/refusals.py \
	%reldir%/saved.py
EXTRA_DIST += $(python_tests) %reldir%/cases.py %reldir%/reference_cases.py \
	%reldir%/reference_trainer.py %reldir%/support.py \
	%reldir%/trainer.py
if HAVE_PYTHON
TESTS += $(python_tests)
endif
