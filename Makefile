# The commands of Sayso's README. PYTHON=… names another interpreter, ROS=wheels|system chooses the ROS.
PYTHON ?= python3
VENV := .venv
# ROS's own pytest plugins break current pytest: only those named here are loaded.
PYTEST := PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(VENV)/bin/python -m pytest -p _hypothesis_pytestplugin
ENVIRONMENT := . ./$(VENV)/sayso.sh &&

.PHONY: help setup setup-dev setup-fleet demo doctor check test wheel clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

setup:  ## install everything that running needs into .venv
	@$(PYTHON) scripts/setup.py

setup-dev:  ## the same, and what checks, tests and training need
	@$(PYTHON) scripts/setup.py --dev

setup-fleet:  ## the same as setup, and what replaying many bags on many machines needs
	@$(PYTHON) scripts/setup.py --fleet

demo: setup  ## a spoken sentence in, a robot in simulation that has done it out
	@bin/sayso demo

doctor: setup  ## look over the installation and say how to mend what is found
	@bin/sayso doctor

check: setup-dev  ## lint, imports and types
	@$(ENVIRONMENT) ruff check . && ruff format --check . && lint-imports --no-logo && mypy

test: check  ## the checks and all tests, the end-to-end ones included
	@$(ENVIRONMENT) $(PYTEST)

wheel: setup  ## the package that pip installs anywhere, in dist/
	@rm -rf build/lib build/bdist.*
	@$(ENVIRONMENT) python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . && ls dist

clean:  ## remove the environment and everything made from the sources
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .import_linter_cache .pytest_cache src/*.egg-info
