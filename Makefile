# The commands of Sayso's README. PYTHON=… names another interpreter, ROS=wheels|system chooses the ROS.
PYTHON ?= python3
VENV := .venv
# ROS's pytest plugins break current pytest: only the plugins named here are loaded. Tests start hundreds of processes: where no bytecode may be
# written, each of them would compile every module again.
PYTEST := PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE= $(VENV)/bin/python -m pytest -p _hypothesis_pytestplugin
ENVIRONMENT := . ./$(VENV)/sayso.sh &&

.PHONY: help setup setup-dev setup-all setup-fleet demo doctor check test test-all test-offline fuzz lock sbom wheel clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup:  ## install everything needed to run, into .venv
	@$(PYTHON) scripts/setup.py

setup-dev:  ## the same, plus packages for checks and for the tests of `make test`
	@$(PYTHON) scripts/setup.py --dev

setup-all:  ## the same as setup-dev, plus packages for training, for comparisons and for the tests of `make test-all`
	@$(PYTHON) scripts/setup.py --all

setup-fleet:  ## the same as setup, plus packages for replaying many bags on many machines
	@$(PYTHON) scripts/setup.py --fleet

demo: setup  ## play spoken sentences to a simulated robot, which carries them out
	@bin/sayso demo

doctor: setup  ## check the installation and say how to fix problems
	@bin/sayso doctor

check: setup-dev  ## lint, imports and types
	@$(ENVIRONMENT) ruff check . && ruff format --check . && { lint-imports --no-logo & imports=$$!; mypy; types=$$?; wait $$imports && exit $$types; }

# `make test` leaves out what is marked long, with its reason: the table in CONTRIBUTING.md. Tests use every core, a file on each: first those
# without ROS nodes, then those with nodes, which wait more than they compute. Files keep their order: by their number of tests, the slow files
# of few tests would come last, and cores would wait. Tests that measure time or watch the whole machine run one by one. The last two parts
# read only the files that have such tests. A failure (1) in one part does not hide what the others find, and no such test (5) is none; an
# interruption (2) ends all.
WITH = $$(grep -rl --include="test_*.py" "pytest.mark.$(1)" tests | sort)
TESTS = failed=0; part() { $(PYTEST) -p xdist --dist loadfile --no-loadscope-reorder $(1) "$$@"; code=$$?; [ $$code -eq 5 ] && code=0; \
	[ $$code -gt 1 ] && exit $$code; failed=$$((failed | code)); }; \
	part -n auto -m "not ros and not timed$(2)"; part -n auto -m "ros and not timed$(2)" $(call WITH,ros); \
	part -n 0 -m "timed$(2)" $(call WITH,timed); \
	exit $$failed
GATE = $(call TESTS,--hypothesis-profile gate, and not long)
ALL = $(call TESTS,--hypothesis-profile all,)

test: check  ## the checks, and the tests of the main way of everything and of all that is about safety
	@$(ENVIRONMENT) $(GATE)

test-all: check setup-all  ## the checks and all tests, the long ones too
	@$(ENVIRONMENT) $(ALL)

test-offline: setup-all  ## all tests without a network, counting the packets that try to leave this machine; needs root
	@$(ENVIRONMENT) python scripts/offline.py -- sh -c '$(ALL)'

fuzz: setup-dev  ## read mutated files of every kind for MINUTES=60; what fails is kept in tests/fuzz/findings
	@$(ENVIRONMENT) nice -n 10 python scripts/fuzz.py --minutes $(or $(MINUTES),60)

lock: setup-dev  ## write the hashes of all packages to requirements/locked, after a change in requirements/
	@$(ENVIRONMENT) python scripts/lock.py

sbom: setup-dev  ## write a CycloneDX list of all packages and models, with their hashes, to dist/sayso.cdx.json
	@$(ENVIRONMENT) python scripts/sbom.py

# The wheel needs no ROS and none of Sayso's packages: it is built in an environment of its own, with the setuptools of the locked list.
WHEEL := build/wheel
wheel:  ## build the package for pip, in dist/; Python is enough
	@test -x $(WHEEL)/bin/pip || $(PYTHON) -m venv $(WHEEL)
	@sed -n '/^setuptools==/,/[^\\]$$/p' requirements/locked/build.txt > $(WHEEL)/build.txt
	@$(WHEEL)/bin/pip --disable-pip-version-check install --quiet --require-hashes -r $(WHEEL)/build.txt
	@rm -rf build/lib build/bdist.*
	@$(WHEEL)/bin/pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . && ls dist

clean:  ## remove the environment and everything built from the sources
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .import_linter_cache .pytest_cache src/*.egg-info
