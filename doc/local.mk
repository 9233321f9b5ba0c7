## doc: see doc/architecture.md, "Folders".
dist_doc_DATA += \
	CHANGELOG.md \
	CONTRIBUTING.md \
	README.md \
	%reldir%/admin.md \
	%reldir%/faq.md \
	%reldir%/quickstart-admin.md \
	%reldir%/demo-timeline.svg \
	%reldir%/demo-jpa.svg \
	%reldir%/runtime-steps.svg \
	%reldir%/results-allocator.md \
	%reldir%/results-campaign.md \
	%reldir%/results-campaign.svg \
	%reldir%/results-demo.md \
	%reldir%/results-giveback.md \
	%reldir%/results-harm.md \
	%reldir%/results-harm.svg \
	%reldir%/results-runtime.md \
	%reldir%/results-slurmctld.md \
	%reldir%/architecture.md \
	%reldir%/demo.md \
	%reldir%/dependencies.md \
	%reldir%/glossary.md \
	%reldir%/platforms.md \
	%reldir%/proven.md \
	%reldir%/python.md \
	%reldir%/quickstart-campaign.md \
	%reldir%/quickstart-pytorch.md \
	%reldir%/security.md \
	%reldir%/sharding.md \
	%reldir%/protocol.md

dist_man_MANS += \
	%reldir%/man1/gleaner-campaign.1 \
	%reldir%/man1/gleaner-sim.1 \
	%reldir%/man1/gleaner-solve.1 \
	%reldir%/man3/gleaner.3 \
	%reldir%/man3/gleaner_again.3 \
	%reldir%/man3/gleaner_apply.3 \
	%reldir%/man3/gleaner_blob.3 \
	%reldir%/man3/gleaner_busy.3 \
	%reldir%/man3/gleaner_close.3 \
	%reldir%/man3/gleaner_error.3 \
	%reldir%/man3/gleaner_gradient.3 \
	%reldir%/man3/gleaner_gradient_ready.3 \
	%reldir%/man3/gleaner_loads_ahead.3 \
	%reldir%/man3/gleaner_log.3 \
	%reldir%/man3/gleaner_open.3 \
	%reldir%/man3/gleaner_reduce.3 \
	%reldir%/man3/gleaner_samples_ahead.3 \
	%reldir%/man3/gleaner_start.3 \
	%reldir%/man3/gleaner_step.3 \
	%reldir%/man3/gleaner_step_now.3 \
	%reldir%/man3/gleaner_strerror.3 \
	%reldir%/man3/gleaner_set_weight.3 \
	%reldir%/man3/gleaner_stop.3 \
	%reldir%/man3/gleaner_stream.3 \
	%reldir%/man3/gleaner_tensor.3 \
	%reldir%/man3/gleaner_tensor_on.3 \
	%reldir%/man3/gleaner_update.3 \
	%reldir%/man7/gleaner.7
