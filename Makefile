# The commands of contributors and of CI. `make` without a target lists them.
#
# Paths are relative to the checkout, so it can be anywhere. Variables: PYTHON is the interpreter for the virtual
# environments, ONLY selects checks of `make lint`, PYTEST has further arguments for pytest, WORKERS is how many tests run
# side by side (0: none), FILE and K select tests of `make unit` and `make integration`.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Container images set it. The tests start thousands of Python processes, and each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
.NOTPARALLEL:

DEMO = playbooks/files/demo/demo.py
COLLECTIONS = build/collections
LINK = $(COLLECTIONS)/ansible_collections/configok/node

# Ansible and Python import the collection from the checkout, as ansible_collections.configok.node.
RUN = ANSIBLE_COLLECTIONS_PATH="$(CURDIR)/$(COLLECTIONS)" PYTHONPATH="$(CURDIR)/$(COLLECTIONS)" PATH="$(CURDIR)/.venv/bin:$$PATH"
RUN_PYTEST = $(RUN) .venv/bin/python -m pytest $(PYTEST)

# For a whole suite; a selection runs without workers, which take seconds to start. tools/run_tests.py does the same.
PROCESSORS := $(shell nproc)
WORKERS ?= $(if $(FILE)$(K)$(PYTEST),0,$(PROCESSORS))
# Integration tests mostly wait.
WAITING_WORKERS = $(if $(filter-out 0,$(WORKERS)),$(shell echo $$(( $(WORKERS) + ($(WORKERS) + 1) / 2 ))),0)
SELECTION = $(if $(K),-k "$(K)")
RUN_FAULTS = $(RUN) PYTHONPATH="$(CURDIR)/$(COLLECTIONS):$(CURDIR)/tests" .venv/bin/python -m faults.run

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | awk -F'\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'

.PHONY: demo
demo: .venv/.run $(LINK) ## run the demo: eight nodes, a canary, a config that breaks (ARGS=--keep leaves them running)
	@$(RUN) .venv/bin/python $(DEMO) $(ARGS)

.PHONY: test
test: .venv/.lint .venv/.molecule .venv-oldest/.made .venv-newest/.made $(LINK) nodes apiserver browser token ## what CI runs: lint, unit, integration, the quick part of the rest
	@$(RUN) CONTROL="$(CONTROL)" .venv/bin/python tools/run_tests.py $(PYTEST)

.PHONY: all
all: lint control integration attacks unit fuzz molecule conformance faults bench docs ## all checks, tests and generated pages (about two hours)

.PHONY: lint
lint: .venv/.lint $(LINK) ## all static checks (ONLY="ruff mypy" runs some)
	@$(RUN) .venv/bin/python tools/lint.py $(ONLY)

.PHONY: unit
unit: .venv/.test $(LINK) ## unit tests, without root or network (FILE=tests/unit/x.py K=name runs some)
	@$(RUN_PYTEST) -n $(WORKERS) $(SELECTION) $(or $(FILE),tests/unit)

# The tests in tests/unit that use Hypothesis; each tries FUZZ times as many examples as in `make unit`.
FUZZ ?= 15
.PHONY: fuzz
fuzz: .venv/.test $(LINK) ## longer, random runs of the fuzz tests (SEED=N repeats a run, FUZZ=50 is longer)
	@seed=$${SEED:-$$RANDOM}; echo "fuzz: SEED=$$seed FUZZ=$(FUZZ)"; \
	  $(RUN) CONFIGOK_FUZZ=$(FUZZ) timeout 3600 .venv/bin/python -m pytest $(PYTEST) tests/unit -m hypothesis --hypothesis-seed=$$seed

# The unit tests of the control machine's code, which need no node, with the oldest and the newest Python and
# ansible-core available on this machine. The playbooks' own tests run with both in `make integration`. `make test` takes
# the oldest for the first, and the newest for the second.
CONTROL_VENVS = .venv-oldest .venv-newest
UTILS = tests/unit/plugins/module_utils
CONTROL = tests/unit/plugins/action tests/unit/plugins/filter tests/unit/plugins/inventory \
  tests/unit/plugins/modules tests/unit/support \
  $(UTILS)/_kube $(UTILS)/_trust $(UTILS)/_operations
.PHONY: control
control: .venv-oldest/.made .venv-newest/.made $(LINK) ## tests of the control side with the oldest and the newest Python and ansible-core
	@for venv in $(CONTROL_VENVS); do \
	  if [ -e $$venv/.made ]; then \
	    echo "control: $$venv: $$($$venv/bin/python --version), $$($$venv/bin/python -m pip list 2>/dev/null | grep ansible-core)"; \
	    $(RUN) PATH="$(CURDIR)/$$venv/bin:$$PATH" $$venv/bin/python -m pytest $(PYTEST) -n $(WORKERS) $(CONTROL) || exit 1; \
	  else echo "control: NOT RUN in $$venv, which could not be made: see above"; fi; \
	done

# Test nodes share addresses and inotify instances: no workers.
ON_NODES = tests/integration/machines tests/integration/nodes
.PHONY: integration
integration: .venv/.test .venv-oldest/.made .venv-newest/.made .venv-events/.made $(LINK) nodes apiserver browser token ## tests against the embedded and the real API server, and on real nodes (FILE, K as for unit)
ifneq ($(FILE)$(K)$(PYTEST),)
	@$(RUN_PYTEST) $(SELECTION) $(or $(FILE),tests/integration)
else
	@$(RUN_PYTEST) -n $(WAITING_WORKERS) tests/integration $(ON_NODES:%=--ignore=%)
	@$(RUN_PYTEST) $(ON_NODES)
endif

# Exit code 3: no real API server is available. pytest then reports it, or fails with CONFIGOK_REQUIRE_REAL=1.
.PHONY: apiserver
apiserver:
	@tests/support/bin/prepare-apiserver || { code=$$?; [ $$code -eq 3 ] || exit $$code; }
	@tests/support/bin/prepare-prometheus || { code=$$?; [ $$code -eq 3 ] || exit $$code; }

# The same for the browser of the report's tests.
.PHONY: browser
browser:
	@tests/support/bin/prepare-chromium || { code=$$?; [ $$code -eq 3 ] || exit $$code; }

# The same for a PKCS#11 token.
.PHONY: token
token:
	@tests/support/bin/prepare-softhsm || { code=$$?; [ $$code -eq 3 ] || exit $$code; }

.PHONY: report-screenshot
report-screenshot: .venv/.test $(LINK) browser ## the screenshots of docs/report.md
	@$(RUN) PYTHONPATH="$(CURDIR)/$(COLLECTIONS):$(CURDIR)/tests" .venv/bin/python tools/take_report_screenshots.py

.PHONY: bench
bench: .venv/.test $(LINK) build/community/.made nodes apiserver ## the figures, to build/bench.jsonl and docs/development/figures.md
	@$(RUN) CONFIGOK_COMMUNITY="$(CURDIR)/build/community" .venv/bin/python -m pytest tests/benchmarks -s $(PYTEST)
	@.venv/bin/python tools/write_figures.py

# As with the API server: without real nodes, the suites report that they skip them.
.PHONY: nodes
nodes:
	@tests/support/bin/prepare-nodes || { code=$$?; [ $$code -eq 3 ] || exit $$code; }

.PHONY: conformance
conformance: .venv/.test $(LINK) nodes ## the ancestor's scenarios and known faults on real nodes, to docs/development/conformance.md
	@$(RUN_PYTEST) tests/conformance
	@[ ! -s build/conformance.jsonl ] || .venv/bin/python tools/write_conformance.py

DISTRIBUTIONS ?= bookworm trixie
export DISTRIBUTIONS

# If this machine cannot run test nodes, report it and succeed, unless CONFIGOK_REQUIRE_REAL=1 is set.
define run-molecule
@tests/support/bin/prepare-nodes $(DISTRIBUTIONS); code=$$?; \
  if [ $$code -eq 3 ] && [ "$$CONFIGOK_REQUIRE_REAL" != 1 ]; then echo "molecule: not run"; exit 0; fi; \
  [ $$code -eq 0 ] || exit $$code; \
  $(RUN) .venv/bin/python tools/run_molecule.py $(1)
endef

.PHONY: molecule
molecule: .venv/.molecule $(LINK) apiserver ## scenarios on real nodes (SCENARIO="provision remove" runs some, DISTRIBUTIONS=bullseye on that)
	$(call run-molecule,$(SCENARIO))

.PHONY: molecule-quick
molecule-quick: .venv/.molecule $(LINK)
	$(call run-molecule,provision)

.PHONY: faults
faults: .venv/.test $(LINK) nodes ## faults at every step and in every phase, to build/faults.jsonl and docs/development/faults.md
	@$(RUN_FAULTS) $(PYTEST)
	@.venv/bin/python tools/write_faults.py

.PHONY: attacks
attacks: .venv/.test $(LINK) apiserver ## attacks with each layer off and on, to build/attacks.jsonl and docs/security.md
	@$(RUN_PYTEST) tests/integration/attacks
	@[ ! -s build/attacks.jsonl ] || .venv/bin/python tools/write_attacks.py

.PHONY: docs
docs: .venv/.lint $(LINK) ## write the generated parts of docs/, and CHANGELOG.md
	@$(RUN) tools/write-reference docs/reference/plugins
	@$(RUN) .venv/bin/python tools/draw_architecture.py
	@.venv/bin/python tools/write_contract.py
	@.venv/bin/python tools/write_complaints.py
	@.venv/bin/python tools/write_machine_files.py
	@.venv/bin/python tools/write_releases.py
	@$(RUN) antsibull-changelog generate

.PHONY: locks
locks: ## pin the packages in requirements/*.txt with hashes, in requirements/locks (UPGRADE=1 takes newer versions)
	@tools/make-venv build/uv 3.10 - requirements/lock.txt
	@PATH="$(CURDIR)/build/uv/bin:$$PATH" build/uv/bin/python tools/lock.py renew $(if $(UPGRADE),--upgrade)

.PHONY: format
format: .venv/.lint ## format the Python files and apply ruff's fixes
	@.venv/bin/ruff format -q && .venv/bin/ruff check -q --fix --output-format=concise

.PHONY: changelog
changelog: .venv/.lint $(LINK) ## write CHANGELOG.md for the version in galaxy.yml, from changelogs/fragments/
	@$(RUN) antsibull-changelog release --update-existing --reload-plugins

.PHONY: release
release: .venv/.lint ## the collection, the agent, a bill of materials and SHA256SUMS, in build/release (same commit, same bytes)
	@$(RUN) .venv/bin/python tools/release.py $(ARGS)

.PHONY: venv
venv: .venv/.test $(LINK) ## the virtual environment of the demo and the tests, in .venv

.PHONY: venv-oldest
venv-oldest: .venv-oldest/.made $(LINK) ## the oldest supported ansible-core, in .venv-oldest
	@test -e $<

.PHONY: venv-newest
venv-newest: .venv-newest/.made $(LINK) ## the newest Python and ansible-core available on this machine, in .venv-newest
	@test -e $<

.PHONY: clean
clean: ## remove everything built in the checkout (caches outside of it stay)
	@rm -rf build .venv .venv-oldest .venv-newest .venv-events .ansible .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp marks a set of installed packages; a later stamp includes the earlier ones. Control machines may have Python
# 3.10; the linters require 3.11. tools/make-venv installs the locked versions.

LOCKING = tools/make-venv tools/lock.py

.venv/.run: requirements/run.txt requirements/locks/run.txt $(LOCKING)
	@tools/make-venv .venv 3.10 - requirements/run.txt && touch $@

.venv/.test: requirements/run.txt requirements/test.txt requirements/locks/run-test.txt $(LOCKING)
	@tools/make-venv .venv 3.10 - requirements/run.txt requirements/test.txt && touch .venv/.run $@

.venv/.lint: requirements/run.txt requirements/test.txt requirements/lint.txt requirements/locks/run-test-lint.txt $(LOCKING)
	@tools/make-venv .venv 3.11 - requirements/run.txt requirements/test.txt requirements/lint.txt \
	  && touch .venv/.run .venv/.test $@

.venv/.molecule: requirements/run.txt requirements/test.txt requirements/molecule.txt \
  requirements/locks/run-test-molecule.txt $(LOCKING)
	@tools/make-venv .venv 3.10 - requirements/run.txt requirements/test.txt requirements/molecule.txt \
	  && touch .venv/.run .venv/.test $@

# If no Python serves, the script and pytest report it, or fail with CONFIGOK_REQUIRE_REAL=1.
.venv-oldest/.made: requirements/oldest.txt requirements/test.txt requirements/locks/oldest-test.txt $(LOCKING)
	@if tools/make-venv --oldest .venv-oldest 3.10 3.12 requirements/oldest.txt requirements/test.txt; then touch $@; \
	  else [ "$$CONFIGOK_REQUIRE_REAL" != 1 ]; fi

# ansible-rulebook, apart from the others: it pins what it depends on.
.venv-events/.made: requirements/run.txt requirements/events.txt requirements/locks/run-events.txt $(LOCKING)
	@tools/make-venv .venv-events 3.10 - requirements/run.txt requirements/events.txt && touch $@

.venv-newest/.made: requirements/run.txt requirements/test.txt requirements/locks/run-test.txt $(LOCKING)
	@if tools/make-venv --newest .venv-newest 3.10 - requirements/run.txt requirements/test.txt; then touch $@; \
	  else [ "$$CONFIGOK_REQUIRE_REAL" != 1 ]; fi

# Outside of .venv, because its top-level package ansible_collections would hide ours.
build/community/.made: requirements/bench.txt requirements/locks/bench.txt .venv/.run
	@rm -rf build/community
	@if lock="$$(.venv/bin/python tools/lock.py find $<)"; then set -- --require-hashes -r "$$lock"; else set -- -r $<; fi; \
	  echo "make: build/community: pip install $$*"; \
	  .venv/bin/python -m pip install --disable-pip-version-check --no-compile --no-deps -qq \
	  --target build/community "$$@" && touch $@

$(LINK):
	@mkdir -p $(@D) && ln -sfn ../../../.. $@
