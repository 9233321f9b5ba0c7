# minicluster is one script, so that it can be copied anywhere; its parts are
# separate files, so that each can be read.
minicluster_parts = \
	%reldir%/minicluster.sh \
	%reldir%/node_kinds.sh \
	%reldir%/links.sh \
	%reldir%/programs.sh \
	%reldir%/configuration.sh \
	%reldir%/daemons.sh \
	%reldir%/start.sh \
	%reldir%/commands.sh
# End of minicluster_parts
EXTRA_DIST += $(minicluster_parts)

bin_SCRIPTS += %reldir%/minicluster
CLEANFILES += %reldir%/minicluster
%reldir%/minicluster: $(minicluster_parts) Makefile
	$(AM_V_GEN)$(MKDIR_P) %reldir% && \
	for part in $(minicluster_parts); do cat $(srcdir)/$$part; echo; done | \
	sed -e 's|@pkglibdir[@]|$(pkglibdir)|' -e 's|@bindir[@]|$(bindir)|' \
	    -e 's|@sbindir[@]|$(sbindir)|' \
	    -e 's|@PACKAGE_STRING[@]|$(PACKAGE_STRING)|' >$@.tmp && \
	chmod +x $@.tmp && mv $@.tmp $@

dist_man_MANS += doc/man1/minicluster.1
