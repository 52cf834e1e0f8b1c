# Everything runs in .venv, made from the lock files: nothing to install by hand, and the same versions everywhere.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
N ?= 1000
WORKERS ?= 2

RUNTIME := $(VENV)/.installed-runtime
DEV := $(VENV)/.installed-dev

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
PIP_COMPILE := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe \
	--strip-extras --no-emit-options

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test lint check fuzz bench format lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(RUNTIME) ## Start the service: the API on port 8080, probes and metrics on 9090
	@exec $(BIN)/gunicorn -c gunicorn.conf.py

test: $(DEV) ## Run all tests, and hold the core to full branch coverage
	$(BIN)/python -m pytest -n $(WORKERS) --cov

lint: $(DEV) ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test ## Lint, then test

fuzz: $(DEV) ## Compare N random hands with the oracle (make fuzz N=10000)
	$(BIN)/python -m tests.fuzz $(N)

bench: $(RUNTIME) ## Time cold solves of the fixed corpora
	$(BIN)/python -m tests.bench

format: $(DEV) ## Put the source in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: $(DEV) ## Renew the lock files from pyproject.toml
	$(PIP_COMPILE) --upgrade --output-file requirements.lock pyproject.toml
	$(PIP_COMPILE) --upgrade --all-extras --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml

clean: ## Remove the virtual environment and everything that was made
	rm -rf $(VENV) build dist *.egg-info .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache \
		.ruff_cache .schemathesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: apt-get install python3, or make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "$(PYTHON) cannot make a virtual environment: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(RUNTIME): requirements.lock | $(BIN)/python
	$(PIP_INSTALL) -r $<
	@touch $@

$(DEV): requirements-dev.lock | $(BIN)/python
	$(PIP_INSTALL) -r $<
	@touch $@
