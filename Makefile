# The commands of Sayso's README. PYTHON=… names another interpreter, ROS=wheels|system chooses the ROS.
PYTHON ?= python3
VENV := .venv
# ROS's pytest plugins break current pytest: only the plugins named here are loaded.
PYTEST := PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(VENV)/bin/python -m pytest -p _hypothesis_pytestplugin
ENVIRONMENT := . ./$(VENV)/sayso.sh &&

.PHONY: help setup setup-dev setup-fleet demo doctor check test test-offline fuzz lock sbom wheel clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup:  ## install everything needed to run, into .venv
	@$(PYTHON) scripts/setup.py

setup-dev:  ## the same, plus packages for checks, tests and training
	@$(PYTHON) scripts/setup.py --dev

setup-fleet:  ## the same as setup, plus packages for replaying many bags on many machines
	@$(PYTHON) scripts/setup.py --fleet

demo: setup  ## play spoken sentences to a simulated robot, which carries them out
	@bin/sayso demo

doctor: setup  ## check the installation and say how to fix problems
	@bin/sayso doctor

check: setup-dev  ## lint, imports and types
	@$(ENVIRONMENT) ruff check . && ruff format --check . && lint-imports --no-logo && mypy

# Tests use every core, a file on each: first those without ROS nodes, then those with nodes, which wait more than they compute. Files keep
# their order: by their number of tests, the slow files of few tests would come last, and cores would wait. Tests that measure time or watch
# the whole machine run one by one. The last two parts read only the files that have such tests. A failure (1) in one part does not hide
# what the others find; an interruption (2) ends all.
WITH = $$(grep -rl --include="test_*.py" "pytest.mark.$(1)" tests | sort)
TESTS := failed=0; part() { $(PYTEST) -p xdist --dist loadfile --no-loadscope-reorder "$$@"; code=$$?; [ $$code -gt 1 ] && exit $$code; failed=$$((failed | code)); }; \
	part -n auto -m "not ros and not timed"; part -n auto -m "ros and not timed" $(call WITH,ros); part -n 0 -m timed $(call WITH,timed); \
	exit $$failed

test: check  ## the checks and all tests, including end-to-end ones
	@$(ENVIRONMENT) $(TESTS)

test-offline: setup-dev  ## all tests without a network, counting the packets that try to leave this machine; needs root
	@$(ENVIRONMENT) python scripts/offline.py -- sh -c '$(TESTS)'

fuzz: setup-dev  ## read mutated files of every kind for MINUTES=60; what fails is kept in tests/fuzz/findings
	@$(ENVIRONMENT) nice -n 10 python scripts/fuzz.py --minutes $(or $(MINUTES),60)

lock: setup-dev  ## write the hashes of all packages to requirements/locked, after a change in requirements/
	@$(ENVIRONMENT) python scripts/lock.py

sbom: setup-dev  ## write a CycloneDX list of all packages and models, with their hashes, to dist/sayso.cdx.json
	@$(ENVIRONMENT) python scripts/sbom.py

wheel: setup  ## build the package for pip, in dist/
	@rm -rf build/lib build/bdist.*
	@$(ENVIRONMENT) python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . && ls dist

clean:  ## remove the environment and everything built from the sources
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .import_linter_cache .pytest_cache src/*.egg-info
