## Would the tests notice?  `make check-mutants AREA=alloc MUTANTS='--only weight'`
## puts defects into the sources; without AREA: all of them, an hour or more.
## AREA=protocol: those of the state machines, which random histories notice.
## `make check` sees that each defect still has its place, and its test.
mutant_areas = alloc sim daemon slurm plugins agent coordinator member planes \
	generation python
EXTRA_DIST += %reldir%/mutants %reldir%/defect.py \
	%reldir%/agent.py %reldir%/alloc.py %reldir%/coordinator.py \
	%reldir%/daemon.py %reldir%/generation.py %reldir%/member.py \
	%reldir%/planes.py %reldir%/plugins.py %reldir%/python.py \
	%reldir%/sim.py %reldir%/slurm.py
dist_check_SCRIPTS += %reldir%/mutants.t
TESTS += %reldir%/mutants.t

AREA = protocol $(mutant_areas)
MUTANTS =
check-mutants: all
	@for area in $(AREA); do \
	  case $$area in \
	  protocol) $(MAKE) $(AM_MAKEFLAGS) --quiet check-mutants-protocol ;; \
	  *) python3 $(srcdir)/%reldir%/mutants --source $(srcdir) --build . \
	    $(MUTANTS) $$area ;; \
	  esac || bad=1; \
	done; test -z "$$bad"
.PHONY: check-mutants
