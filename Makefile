# RL Gym Visualizer. `make` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# Where this is set, every process compiles all modules of the app anew: half a second of each start, and of most tests.
export PYTHONDONTWRITEBYTECODE :=

PYTHON ?= python3
BIN := backend/.venv/bin
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --quiet
PNPM := npx --yes $(shell sed -n 's/.*"packageManager": "\(pnpm@[^"]*\)".*/\1/p' frontend/package.json)
API_URL ?= http://127.0.0.1:8000
comma := ,

# Steps that are done leave a stamp here and run again only when what they depend on has changed.
STAMPS := .make
API_SOURCES := $(shell find backend/rlviz -name '*.py')
SCHEMA := frontend/src/api/schema.d.ts
FRONTEND_SOURCES := $(shell find frontend/src frontend/public -type f 2>/dev/null) \
	$(wildcard frontend/*.ts frontend/*.mjs frontend/package.json)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: $(STAMPS)/python $(STAMPS)/frontend ## Install, build and serve the app at http://127.0.0.1:8000
	@exec $(BIN)/python -m rlviz serve

.PHONY: dev
dev: $(STAMPS)/python $(STAMPS)/node $(STAMPS)/client ## Serve back end and front end separately, both reloading on change; SCRIPTED=1 shows a lively app without training
	@trap 'kill 0' EXIT INT TERM; \
	$(if $(SCRIPTED),export RLVIZ_RUNS_DIR=$(CURDIR)/$(STAMPS)/scripted-runs RLVIZ_LAUNCHER=scripted \
		RLVIZ_MAX_CONCURRENT_RUNS=8 RLVIZ_SCRIPT='{"speed": 10$(comma) "runs": {"*(done)*": {}}}'; \
		$(BIN)/python -m rlviz.testing.demo $(API_URL) &) \
	RLVIZ_CORS_ORIGINS=http://127.0.0.1:3000,http://localhost:3000 \
		$(BIN)/uvicorn rlviz.server.development:app --factory --no-proxy-headers --reload --reload-dir backend/rlviz & \
	(cd frontend && NEXT_PUBLIC_API_URL=$(API_URL) $(PNPM) dev) & \
	wait

.PHONY: install
install: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser ## Install and build all that the tests need

.PHONY: wheel
wheel: $(STAMPS)/python $(STAMPS)/frontend ## Build dist/rlviz-….whl, with the pages in it: it needs no Node
	$(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist ./backend
	@ls dist/rlviz-*.whl

PYTEST := .venv/bin/python -m pytest
PARALLEL := -n 4 --dist worksteal

# Unit tests write and sync thousands of small files, and would wait for the disk longer than they compute.
RAM_DISK = $(shell test -w /dev/shm && df -Pk /dev/shm | awk 'NR == 2 && $$4 > 1000000 { print "/dev/shm" }')

.PHONY: test-fast
test-fast: $(STAMPS)/python-dev ## Run the unit tests in a minute, or one test file: make test-fast FILE=backend/tests/...
ifdef FILE
	@case "$(FILE)" in \
	*.py) cd backend && $(PYTEST) -n 0 "$(FILE:backend/%=%)" ;; \
	*.test.ts|*.test.tsx) $(MAKE) --no-print-directory $(STAMPS)/node && cd frontend && $(PNPM) exec vitest run "$(FILE:frontend/%=%)" ;; \
	*.spec.ts) $(MAKE) --no-print-directory $(STAMPS)/frontend $(STAMPS)/browser && cd frontend && $(PNPM) e2e "$(FILE:frontend/%=%)" ;; \
	*) echo "FILE names a test: test_….py, ….test.ts, ….test.tsx or ….spec.ts"; exit 2 ;; \
	esac
else
	cd backend && TMPDIR="$${TMPDIR:-$(RAM_DISK)}" $(PYTEST) -n 2 --dist worksteal -o tmp_path_retention_policy=failed \
		tests/unit  # two workers: each spends seconds on imports alone
endif

.PHONY: test
test: install ## Run what users would meet, in a real browser too
	@bash .ci/parts backend "$(MAKE) test-backend" first-load "$(MAKE) test-first-load" \
		frontend "$(MAKE) test-frontend" browser "$(MAKE) test-browser"

.PHONY: test-backend
test-backend: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser
	cd backend && $(PYTEST) $(PARALLEL)

.PHONY: test-first-load
test-first-load: $(STAMPS)/frontend
	node frontend/scripts/first-load.mjs

.PHONY: test-frontend
test-frontend: $(STAMPS)/node $(STAMPS)/client
	cd frontend && $(PNPM) test

.PHONY: test-browser
test-browser: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser
	cd frontend && $(PNPM) e2e

.PHONY: test-all
test-all: test test-exhaustive ## Run every test: matrices, kills, full disks, every environment, the wheel; takes an hour

.PHONY: test-exhaustive
test-exhaustive: install ## What make test leaves out
	@bash .ci/parts backend "$(MAKE) test-exhaustive-backend" browser "$(MAKE) test-exhaustive-browser" \
		readers "$(MAKE) test-readers" wheel "$(MAKE) test-wheel"

.PHONY: test-exhaustive-backend
test-exhaustive-backend: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser $(STAMPS)/postgres
	cd backend && $(PYTEST) $(PARALLEL) tests/exhaustive

.PHONY: test-exhaustive-browser
test-exhaustive-browser: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser
	cd frontend && RLVIZ_E2E_TIER=exhaustive $(PNPM) e2e

.PHONY: coverage
coverage: $(STAMPS)/python-dev ## Say which lines no test runs, in workers too
	cd backend && $(PYTEST) $(PARALLEL) tests --cov --cov-report=term:skip-covered --cov-fail-under=85

.PHONY: test-wheel
test-wheel: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser ## Install the wheel with all that it needs into an empty environment, and train and serve with it
	cd backend && RLVIZ_TEST_EMPTY=1 $(PYTEST) -o faulthandler_timeout=0 --timeout 1800 tests/exhaustive/test_wheel.py

.PHONY: wheel-smoke
wheel-smoke: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser ## The same in short: install it, train 500 steps, load the page of the run
	cd backend && RLVIZ_TEST_EMPTY=1 $(PYTEST) -o faulthandler_timeout=0 --timeout 900 tests/exhaustive/test_wheel.py -k "trains_and_its_page_loads"

.PHONY: test-readers
test-readers: $(STAMPS)/readers ## Read with MLflow, pandas, Polars and optuna-dashboard what is written for them, in an environment of its own
	cd backend && RLVIZ_TEST_READERS=1 .venv-readers/bin/python -m pytest -n 2 --dist loadfile tests/exhaustive/test_readers.py tests/scripted/test_sink_programs.py tests/exhaustive/test_sink_names.py tests/exhaustive/test_sink_programs.py tests/exhaustive/test_sink_servers.py

.PHONY: postgres
postgres: $(STAMPS)/postgres ## Install the PostgreSQL that tests of rlviz ingest start for themselves, where root may

.PHONY: soak
soak: $(STAMPS)/python-dev ## The same many times over, then load; an hour or more. Figures go into docs/reliability.md
	cd backend && .venv/bin/python -m benchmarks.soak $(ARGS)

.PHONY: lint
lint: lint-backend lint-frontend ## Check style, types, imports and that generated files are fresh

.PHONY: lint-backend
lint-backend: $(STAMPS)/python-dev
	cd backend && .venv/bin/ruff check --config pyproject.toml . ../frontend/e2e
	cd backend && .venv/bin/ruff format --config pyproject.toml --check . ../frontend/e2e
	cd backend && .venv/bin/mypy && .venv/bin/lint-imports
	$(BIN)/python -m rlviz.cli.reference | diff -u docs/cli.md - || { echo "Run 'make cli-docs'."; exit 1; }

.PHONY: lint-frontend
lint-frontend: $(STAMPS)/node $(STAMPS)/client
	cd frontend && $(PNPM) lint

.PHONY: screenshots
screenshots: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser ## Picture every page and state into frontend/screenshots/
	rm -rf frontend/screenshots
	cd frontend && $(PNPM) exec playwright test --config playwright.screenshots.config.ts

.PHONY: bench
bench: $(STAMPS)/python-dev $(STAMPS)/frontend $(STAMPS)/browser ## Measure speed, as ratios within one run
	cd backend && .venv/bin/python -m benchmarks

.PHONY: presets
presets: $(STAMPS)/python-dev ## Measure the presets by experiments; ARGS="cartpole --only 'PPO *' --seeds 3"
	cd backend && .venv/bin/python -m measuring $(ARGS)

.PHONY: random-returns
random-returns: $(STAMPS)/python-dev ## Measure what random actions earn; ARGS="CartPole-v1" for some
	cd backend && .venv/bin/python -W ignore -m benchmarks.random_returns $(ARGS)

.PHONY: stills
stills: $(STAMPS)/python ## Render the environments' stills anew; ARGS="CartPole-v1" for some
	cd backend && .venv/bin/python -W ignore -m rlviz.learning.environments.stills $(ARGS)

.PHONY: client
client: $(STAMPS)/client ## Generate the TypeScript types of the API, which git does not keep

.PHONY: cli-docs
cli-docs: $(STAMPS)/python ## Generate docs/cli.md from the commands
	$(BIN)/python -m rlviz.cli.reference > docs/cli.md

.PHONY: clean
clean: ## Remove everything that was installed or built; runs stay
	rm -rf $(STAMPS) backend/.venv backend/.venv-readers dist frontend/node_modules frontend/.next frontend/out
	find backend -name __pycache__ -prune -exec rm -rf {} +

$(STAMPS)/python: backend/requirements.lock backend/pyproject.toml
	@mkdir -p $(STAMPS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one with 'make PYTHON=…'."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv backend/.venv
	$(PIP_INSTALL) -r backend/requirements.lock
	$(PIP_INSTALL) --no-deps --no-build-isolation -e backend
	@touch $@

$(STAMPS)/python-dev: $(STAMPS)/python backend/requirements-dev.lock
	$(PIP_INSTALL) -r backend/requirements-dev.lock
	@touch $@

# Sees the packages of the other environment and this one's source, and has some of its own in front.
$(STAMPS)/readers: $(STAMPS)/python-dev backend/requirements-readers.lock
	$(BIN)/python -m venv --clear backend/.venv-readers
	$(BIN)/python -c 'import site; print(site.getsitepackages()[0], "$(CURDIR)/backend", sep="\n")' \
		> "$$(backend/.venv-readers/bin/python -c 'import site; print(site.getsitepackages()[0])')/rlviz.pth"
	backend/.venv-readers/bin/python -m pip install --disable-pip-version-check --quiet --no-deps -r backend/requirements-readers.lock
	@touch $@

# Its programs are all that is needed: each test has a database of its own. Tests say that they are skipped without it.
$(STAMPS)/postgres:
	@mkdir -p $(STAMPS)
	@if command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql; \
	else echo "PostgreSQL is not installed, and only root may install it: its tests are skipped."; fi
	@touch $@

$(STAMPS)/node: frontend/pnpm-lock.yaml frontend/package.json
	@mkdir -p $(STAMPS)
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || \
		{ echo "Node 20 or newer is needed."; exit 1; }
	cd frontend && CI=true $(PNPM) install --frozen-lockfile --reporter=append-only
	@touch $@

# The types change only when the document does, so that the pages are not built again for every change of Python.
$(STAMPS)/client: $(STAMPS)/python $(STAMPS)/node $(API_SOURCES) frontend/package.json
	$(BIN)/python -m rlviz openapi > $(STAMPS)/openapi.json
	@if test -f $(SCHEMA) && cmp -s $(STAMPS)/openapi.json frontend/openapi.json; then :; \
	else cp $(STAMPS)/openapi.json frontend/openapi.json && cd frontend && $(PNPM) client; fi
	@touch $@

$(SCHEMA): $(STAMPS)/client ;

$(STAMPS)/frontend: $(STAMPS)/node $(SCHEMA) $(FRONTEND_SOURCES)
	cd frontend && $(PNPM) build
	@touch $@

# A Chromium for the browser's tests: one that is there, else Debian's if we may install it, else Playwright's.
$(STAMPS)/browser: $(STAMPS)/node
	@if node frontend/e2e/chromium.mjs >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; \
	else cd frontend && npx playwright install chromium; fi
	@touch $@
