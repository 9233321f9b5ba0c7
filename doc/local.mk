## doc: see doc/architecture.md, "Folders".
dist_doc_DATA += \
	README.md \
	%reldir%/admin.md \
	%reldir%/demo-timeline.svg \
	%reldir%/results-allocator.md \
	%reldir%/results-demo.md \
	%reldir%/architecture.md \
	%reldir%/demo.md \
	%reldir%/dependencies.md \
	%reldir%/glossary.md \
	%reldir%/protocol.md

dist_man_MANS += \
	%reldir%/man1/gleaner-sim.1 \
	%reldir%/man1/gleaner-solve.1 \
	%reldir%/man7/gleaner.7
