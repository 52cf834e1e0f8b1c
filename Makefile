# Everything runs in .venv. make fills it from the lock files, so the versions are the same everywhere.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
N ?= 1000
WHAT ?= solve
WORKERS ?= 2

RUNTIME := $(VENV)/.installed-runtime
DEV := $(VENV)/.installed-dev
OPS := $(VENV)/.installed-ops

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
PIP_COMPILE := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe \
	--strip-extras --no-emit-options

# The compiled core lives in a copy: in the work tree, Python would use an old compiled module after a source change.
TREE := build/compiled
PYTHON_HERE := $(CURDIR)/$(BIN)/python

HELM := build/helm/.unpacked

VERSION := $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' pyproject.toml)
REVISION ?= $(shell git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || echo unknown)
IMAGE ?= showcheck:$(VERSION)
# buildah's default image format has no health check.
IMAGE_BUILD ?= $(if $(shell command -v buildah),buildah build --format docker,docker build)
# Further flags for the builder, such as --build-arg BASE_IMAGE=...
IMAGE_FLAGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test lint compiled run-compiled fuzz bench loadtest fault-test chart-test watch-test image image-test weekly lock

help:
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(RUNTIME) ## Start the service: the API on port 8080, probes and metrics on 9090
	@exec $(BIN)/python -m service serve

# Coverage slows the core down, so only the core's own tests run under it.
test: $(if $(COMPILED),$(TREE)/.tests,$(DEV)) ## Run all tests; with COMPILED=1 against the compiled core
ifdef COMPILED
	cd $(TREE) && $(PYTHON_HERE) -c 'from service.startup.build import is_compiled; assert is_compiled()'
	cd $(TREE) && $(PYTHON_HERE) -m pytest -n $(WORKERS)
else
	$(BIN)/python -m pytest -n $(WORKERS) tests/game tests/wire --cov
	$(BIN)/python -m pytest -n $(WORKERS) --ignore tests/game --ignore tests/wire
endif

lint: $(DEV) ## Check style, types and the direction of imports; with FIX=1 format the source first
ifdef FIX
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
endif
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

compiled: $(TREE)/.built ## Compile the core, in a copy of the project under build/

run-compiled: $(TREE)/.built ## Start the service with the compiled core
	@cd $(TREE) && SHOWCHECK_REQUIRE_COMPILED=1 exec $(PYTHON_HERE) -m service serve

fuzz: $(DEV) ## Compare N random hands with the oracle (make fuzz N=10000)
	$(BIN)/python -m tests.fuzz $(N)

bench: $(DEV) $(TREE)/.tests ## Time cold solves; WHAT=growth, cache, http, capacity, soak or adversarial measures that
	$(BIN)/python -m bench $(WHAT)

# Without a URL, this starts a compiled service of one pod's size on a core of its own.
loadtest: $(OPS) $(if $(URL),,$(TREE)/.built) ## Load the service and check every answer (URL=, USERS=, RATE=, SECONDS=)
	$(BIN)/python -m bench load $(if $(URL),--url "$(URL)") $(if $(USERS),--users $(USERS)) $(if $(RATE),--rate $(RATE)) \
		$(if $(SECONDS),--seconds $(SECONDS))

fault-test: $(DEV) ## Count the requests that fail under faults (some minutes; needs haproxy, and root for a full disk)
	$(BIN)/python -m pytest tests/heavy/faults

chart-test: $(OPS) $(HELM) ## Check the Helm chart with Helm 3 and 4, for the oldest and the newest Kubernetes
	$(BIN)/python -m pytest -n $(WORKERS) tests/heavy/chart

watch-test: $(DEV) ## Test alerts and dashboard with a real Prometheus (needs Debian's prometheus)
	$(BIN)/python -m pytest tests/heavy/watch

image: ## Build the container image showcheck:VERSION, with buildah or docker
	$(IMAGE_BUILD) --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) --tag $(IMAGE) $(IMAGE_FLAGS) .

image-test: $(OPS) ## Build the image on a local Debian base and test it (as root; .ci/run lists what it needs)
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m pytest tests/heavy/image

# Work that takes too long for continuous integration. It needs a quiet machine with wrk and redis-server.
weekly: $(OPS) $(TREE)/.tests ## Run for hours: a long fuzz, the soak, the benchmarks, a long load test
	$(MAKE) fuzz N=500000
	$(MAKE) bench WHAT=soak
	$(MAKE) bench
	$(MAKE) bench WHAT=growth
	$(MAKE) bench WHAT=cache
	$(MAKE) bench WHAT=http
	$(MAKE) bench WHAT=capacity
	$(MAKE) loadtest SECONDS=600

lock: $(DEV) ## Renew the lock files from pyproject.toml
	$(PIP_COMPILE) --upgrade --output-file requirements.lock pyproject.toml
	$(PIP_COMPILE) --upgrade --extra build --constraint requirements.lock --output-file requirements-build.lock pyproject.toml
	$(PIP_COMPILE) --upgrade $(addprefix --extra ,test lint bench build lock) --constraint requirements.lock \
		--output-file requirements-dev.lock pyproject.toml
	$(PIP_COMPILE) --upgrade --extra ops --constraint requirements-dev.lock --output-file requirements-ops.lock pyproject.toml

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

# These packages come on top of the tests' packages, in the same versions.
$(OPS): requirements-ops.lock $(DEV)
	$(PIP_INSTALL) -r $<
	@touch $@

$(HELM): tests/heavy/chart/helm.lock tests/heavy/chart/tools.py | $(BIN)/python
	$(BIN)/python -m tests.heavy.chart.tools
	@touch $@

$(TREE)/.built: $(DEV) setup.py pyproject.toml gunicorn.conf.py openapi.yaml $(shell find service -type f -not -name '*.pyc')
	rm -rf $(TREE)
	mkdir -p $(TREE)
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory $(TREE)
	cd $(TREE) && SHOWCHECK_REQUIRE_COMPILED=1 $(PYTHON_HERE) setup.py --quiet build_ext --inplace
	@touch $@

# When only tests or corpora change, make copies them and compiles nothing.
$(TREE)/.tests: $(TREE)/.built $(shell find bench tests -type f -not -name '*.pyc')
	rm -rf $(TREE)/bench $(TREE)/tests
	git ls-files -z --cached --others --exclude-standard bench tests | xargs -0 cp --parents --target-directory $(TREE)
	@touch $@
