## doc: see doc/architecture.md, "Folders".
dist_doc_DATA += \
	%reldir%/architecture.md \
	%reldir%/dependencies.md \
	%reldir%/glossary.md \
	%reldir%/protocol.md
