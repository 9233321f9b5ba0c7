## doc: see doc/architecture.md, "Folders".
dist_doc_DATA += \
	%reldir%/protocol.md
