# Every command makes what it needs: a virtual environment in .venv with the package, built and installed.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed

.PHONY: demo test lint types pytest node matrix bench conform mutation long clean

demo: $(INSTALLED)  ## rehearse a tool loop on one screen
	$(BIN)/playhead demo

test: lint types pytest  ## everything that must pass

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy

pytest: $(INSTALLED)
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

node: tests/clients/node/node_modules/.installed  ## clients of other languages, which some tests run if they are there

tests/clients/node/node_modules/.installed: tests/clients/node/package-lock.json
	npm ci --prefix tests/clients/node --ignore-scripts --no-audit --no-fund
	touch $@

matrix: $(INSTALLED)  ## a tool loop on several versions of the SDK, each in an environment of its own
	$(BIN)/python tests/sdk_matrix.py $(VERSIONS)

long: $(INSTALLED)  ## what takes too long for every change: big fuzzing, large files, whole corpora, many SDK versions
	$(BIN)/python bench/fuzz_requests.py 100000
	$(BIN)/python bench/fuzz_readers.py --count 20000
	$(BIN)/python bench/memory_readers.py
	$(BIN)/python bench/replay_corpus.py
	$(BIN)/python bench/damage_cassettes.py --count 10000
	$(BIN)/python bench/kill_recordings.py 200
	$(BIN)/python bench/hostile_server.py 10000
	$(BIN)/python bench/server.py --big --unchecked
	$(BIN)/python bench/server.py --memory
	$(BIN)/python tests/vcr_matrix.py
	$(BIN)/python tests/sdk_matrix.py

mutation: $(INSTALLED)  ## what of the reference loop the search alone holds in place; writes docs/mutation.md
	$(BIN)/python bench/mutation/run.py --write

conform: $(INSTALLED)  ## the search in published frameworks, each in an environment of its own; writes docs/conformance.md
	$(BIN)/python examples/conformance/run.py --write

bench: $(INSTALLED)  ## what the fake costs, as ratios measured in one run
	$(BIN)/python bench/imports.py
	$(BIN)/python bench/overhead.py
	$(BIN)/python bench/streams.py
	$(BIN)/python bench/readers.py
	$(BIN)/python bench/session_length.py
	$(BIN)/python bench/replay.py
	$(BIN)/python bench/redaction.py
	$(BIN)/python bench/vcrpy.py
	$(BIN)/python bench/search.py
	$(BIN)/python bench/server.py

$(INSTALLED): pyproject.toml README.md $(shell find src -name '*.py' -o -name '*.jsonl' -o -name py.typed)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist
