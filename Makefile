# Everything runs in .venv, made from the lock files: nothing to install by hand, and the same versions everywhere.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
N ?= 1000
WORKERS ?= 2

RUNTIME := $(VENV)/.installed-runtime
DEV := $(VENV)/.installed-dev
OPS := $(VENV)/.installed-ops

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
PIP_COMPILE := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe \
	--strip-extras --no-emit-options

# A copy of its own: a compiled module in the work tree would go on being used after its source was changed.
COMPILED := build/compiled
PYTHON_HERE := $(CURDIR)/$(BIN)/python

HELM := build/helm/.unpacked

VERSION := $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' pyproject.toml)
REVISION ?= $(shell git describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || echo unknown)
IMAGE ?= showcheck:$(VERSION)
# The image format of buildah's own has no health check.
IMAGE_BUILD ?= $(if $(shell command -v buildah),buildah build --format docker,docker build)
# More for the builder, such as --build-arg BASE_IMAGE=...
IMAGE_FLAGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test lint check test-compiled compiled run-compiled fuzz bench bench-http bench-adversarial bench-growth bench-cache bench-capacity loadtest image image-test chart-test watch-test fault-test soak format lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(RUNTIME) ## Start the service: the API on port 8080, probes and metrics on 9090
	@exec $(BIN)/python -m service serve

# Coverage makes the core twice as slow, so only the core's own tests are run under it.
test: $(DEV) ## Run all tests, and hold the core to full branch coverage
	$(BIN)/python -m pytest -n $(WORKERS) tests/game tests/wire --cov
	$(BIN)/python -m pytest -n $(WORKERS) --ignore tests/game --ignore tests/wire

lint: $(DEV) ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test ## Lint, then test

test-compiled: $(COMPILED)/.tests ## Run all tests against the compiled core
	cd $(COMPILED) && $(PYTHON_HERE) -c 'from service.startup.build import is_compiled; assert is_compiled()'
	cd $(COMPILED) && $(PYTHON_HERE) -m pytest -n $(WORKERS)

compiled: $(COMPILED)/.built ## Compile the core, in a copy of the project under build/

run-compiled: $(COMPILED)/.built ## Start the service with the compiled core
	@cd $(COMPILED) && SHOWCHECK_REQUIRE_COMPILED=1 exec $(PYTHON_HERE) -m service serve

fuzz: $(DEV) ## Compare N random hands with the oracle (make fuzz N=10000)
	$(BIN)/python -m tests.fuzz $(N)

bench: $(DEV) $(COMPILED)/.tests ## Time cold solves of the fixed corpora, interpreted and compiled
	$(BIN)/python -m tests.bench --json build/bench-interpreted.json
	cd $(COMPILED) && $(PYTHON_HERE) -m tests.bench --json ../bench-compiled.json
	$(BIN)/python -m tests.bench.compare build/bench-interpreted.json build/bench-compiled.json

bench-http: $(DEV) $(COMPILED)/.tests ## Measure requests against a bare Flask service, and write it into docs/benchmarks.md
	$(BIN)/python -m tests.bench.http

bench-adversarial: $(DEV) $(COMPILED)/.tests ## Search for the slowest hands, and write their corpus anew
	cd $(COMPILED) && $(PYTHON_HERE) -m tests.bench.adversarial --folder $(CURDIR)/tests/bench

bench-growth: $(DEV) $(COMPILED)/.tests ## Measure how the cost of a hand grows, and write docs/bench/growth.md
	$(BIN)/python -m tests.bench.growth measure build/growth-interpreted.json
	cd $(COMPILED) && $(PYTHON_HERE) -m tests.bench.growth measure $(CURDIR)/build/growth-compiled.json
	$(BIN)/python -m tests.bench.growth report build/growth-interpreted.json build/growth-compiled.json

bench-cache: $(DEV) $(COMPILED)/.tests ## Measure what the cache saves (needs redis-server), and write docs/bench/cache.md
	$(BIN)/python -m tests.bench.cache_study stream build/cache-stream.json
	$(BIN)/python -m tests.bench.cache_study measure build/cache-interpreted.json
	cd $(COMPILED) && $(PYTHON_HERE) -m tests.bench.cache_study measure $(CURDIR)/build/cache-compiled.json
	$(BIN)/python -m tests.bench.cache_study report $(addprefix build/cache-,stream.json interpreted.json compiled.json)

bench-capacity: $(DEV) $(COMPILED)/.tests ## Measure what a core can do (needs wrk), and write it into docs/capacity.md
	$(BIN)/python -m tests.bench.capacity

# Without a URL one pod's worth of the compiled service is started, on a core of its own.
loadtest: $(OPS) $(if $(URL),,$(COMPILED)/.built) ## Load the service and check every answer (URL=, USERS=, RATE=, SECONDS=)
	$(BIN)/python -m tests.load $(if $(URL),--url "$(URL)") $(if $(USERS),--users $(USERS)) $(if $(RATE),--rate $(RATE)) \
		$(if $(SECONDS),--seconds $(SECONDS))

image: ## Build the container image showcheck:VERSION, with buildah or docker
	$(IMAGE_BUILD) --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) --tag $(IMAGE) $(IMAGE_FLAGS) .

image-test: $(OPS) ## Build the image on a Debian made here, and try it (as root; what it needs: .ci/run)
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m pytest tests/heavy/image

chart-test: $(OPS) $(HELM) ## Check the Helm chart with Helm 3 and 4, for the oldest and the newest Kubernetes
	$(BIN)/python -m pytest -n $(WORKERS) tests/heavy/chart

watch-test: $(DEV) ## Try alerts and dashboard with a real Prometheus (needs Debian's prometheus)
	$(BIN)/python -m pytest tests/heavy/watch

fault-test: $(DEV) ## Count the requests that fail under faults, some minutes (needs haproxy, and root for a full disk)
	$(BIN)/python -m pytest tests/heavy/faults

soak: $(DEV) ## Send half a million requests of all kinds, and write what memory they cost into docs/bench
	$(BIN)/python -m tests.heavy.faults.soak --requests 500000 --folder docs/bench

format: $(DEV) ## Put the source in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: $(DEV) ## Renew the lock files from pyproject.toml
	$(PIP_COMPILE) --upgrade --output-file requirements.lock pyproject.toml
	$(PIP_COMPILE) --upgrade --extra build --constraint requirements.lock --output-file requirements-build.lock pyproject.toml
	$(PIP_COMPILE) --upgrade $(addprefix --extra ,test lint bench build lock) --constraint requirements.lock \
		--output-file requirements-dev.lock pyproject.toml
	$(PIP_COMPILE) --upgrade --extra ops --constraint requirements-dev.lock --output-file requirements-ops.lock pyproject.toml

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

# On top of the tests' packages, and of the same versions.
$(OPS): requirements-ops.lock $(DEV)
	$(PIP_INSTALL) -r $<
	@touch $@

$(HELM): tests/heavy/chart/helm.lock tests/heavy/chart/tools.py | $(BIN)/python
	$(BIN)/python -m tests.heavy.chart.tools
	@touch $@

$(COMPILED)/.built: $(DEV) setup.py pyproject.toml gunicorn.conf.py openapi.yaml $(shell find service -type f -not -name '*.pyc')
	rm -rf $(COMPILED)
	mkdir -p $(COMPILED)
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory $(COMPILED)
	cd $(COMPILED) && SHOWCHECK_REQUIRE_COMPILED=1 $(PYTHON_HERE) setup.py --quiet build_ext --inplace
	@touch $@

# Tests and corpora may change without the core: then they are copied, and nothing is compiled.
$(COMPILED)/.tests: $(COMPILED)/.built $(shell find tests -type f -not -name '*.pyc')
	git ls-files -z --cached --others --exclude-standard tests | xargs -0 cp --parents --target-directory $(COMPILED)
	@touch $@
