# Every target sets up what it needs on a machine that has Python (3.11 or newer) and make, and nothing else.
PYTHON ?= python3
VENV   := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
RUN    := $(BIN)/python -m
# In the order of tests/conftest.py: the longest files first.
PYTEST := $(RUN) pytest -n 2 --dist loadfile --no-loadscope-reorder -q
# Everyday targets install pinned versions (docs/decisions/pinned-versions.md); `make test PINNED=` takes whatever is newest.
PINNED ?= requirements/pinned.txt
INSTALL := pip install -q $(if $(PINNED),-c $(PINNED))
PIP    := $(RUN) $(INSTALL)

LOWEST := .venv-lowest
LOWEST_RUN := $(subst $(VENV),$(LOWEST),$(BIN))/python -m
NEWEST_RUN := $(subst $(VENV),.venv-newest,$(BIN))/python -m
# Interpreters of `make pythons`, by name or path: `make pythons PYTHONS="python3.12 /opt/python3.13/bin/python3"`.
PYTHONS ?= python3.12 python3.13
# Where `make sdist` unpacks the source archive, and the environment with the wheel made of it.
SDIST := build/sdist
SDIST_PYTHON := $(CURDIR)/$(subst $(VENV),$(SDIST)/env,$(BIN))/python
FAST := -m "not slow and not real and not peers"
LOWEST_TESTS := tests/unit/algebra tests/unit/signal tests/unit/trial tests/unit/dynamics tests/unit/readers tests/unit/session tests/unit/norms tests/unit/statistics

.PHONY: hashed-dev hashed-all lowest newest pythons sdist demo test test-all lint format bench studies report page docs site data fuzz clean

## hashed-dev, hashed-all: what the fast suite needs, and what every target needs, each file held against its SHA-256, the project
##         itself without dependencies; continuous integration installs so, and `make test` alone does without
hashed-dev hashed-all:
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install -q --require-hashes -r requirements/$@.txt
	$(RUN) pip install -q --no-deps --no-build-isolation -e .
	@for step in base run dev $(if $(findstring all,$@),docs peers); do touch $(VENV)/.$$step; done

## demo: write a virtual patient into demo/subject, ten healthy walkers and their norm beside it, and the report into demo/results
demo: $(VENV)/.run
	$(BIN)/biomech-id demo -o demo

## test: the fast suite (nine minutes on two cores)
test: $(VENV)/.dev
	$(PYTEST) $(FAST)

## test-all: the fast suite, then the slow, real-data and peer suites
test-all: $(VENV)/.peers test
	$(PYTEST) -m "slow or real or peers"

## lint: style, formatting and strict types
lint: $(VENV)/.dev
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy --strict

## format: let ruff arrange the code
format: $(VENV)/.dev
	$(RUN) ruff format .
	$(RUN) ruff check --fix .

## bench: timings beside peers, as ratios
bench: $(VENV)/.peers
	$(RUN) benchmarks

## studies: what takes more than a minute (random renamings, Monte Carlo, fuzzing); each writes its table in benchmarks/studies
studies: $(VENV)/.peers
	$(RUN) benchmarks.studies

## data: write the virtual subject's files and their index again
data: $(VENV)/.run
	$(RUN) biomech_id.sample data

## report: the virtual subject's reference report and its page images
report: $(VENV)/.dev
	$(RUN) reports.rebuild

## page: check the review page's and the desk's JavaScript, and that its vendored libraries are what the lock file makes of them; needs Node
page:
	rm -rf build/review && mkdir -p build/review
	cp -r biomech_id/review/page biomech_id/review/vendor build/review
	cp -r biomech_id/desk/page build/review/desk
	cd build/review/vendor && npm ci --no-audit --no-fund && npm run check && npx tsc -p ../desk/tsconfig.json && npm run verify

## docs: pages, and schemas of tables and documents, that are generated from the code
docs: $(VENV)/.run
	$(RUN) docs.generate.dictionary
	$(RUN) docs.generate.rules
	$(RUN) docs.generate.schemas
	$(RUN) docs.generate.architecture
	$(RUN) docs.documents.write

## site: these pages and the Python reference as HTML in docs/_build; a link that leads nowhere is an error,
##       and so is a question of docs/questions.toml whose page the site's search does not find
site: $(VENV)/.docs
	$(RUN) sphinx -j auto -b html -n -W --keep-going -q docs docs/_build
	$(RUN) docs.search_check docs/_build
	@echo docs/_build/index.html

## lowest: the demo and the suites of some rooms with the oldest versions that setup.cfg allows
lowest: $(VENV)/.base
	$(RUN) pip install -q uv
	$(RUN) uv pip compile -q --resolution lowest-direct setup.cfg -o $(VENV)/lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST_RUN) pip install -q -r $(VENV)/lowest.txt pytest pytest-xdist pypdf
	$(LOWEST_RUN) pip install -q --no-deps -e .
	$(subst $(VENV),$(LOWEST),$(BIN))/biomech-id demo -o build/lowest
	$(LOWEST_RUN) pytest -n 2 -q $(LOWEST_TESTS) $(FAST)

## newest: the fast suite with whatever versions are newest today, in an environment of its own
newest:
	$(PYTHON) -m venv .venv-newest
	$(NEWEST_RUN) pip install -q --upgrade --upgrade-strategy eager -e ".[dev]"
	$(NEWEST_RUN) pytest -n 2 --dist loadfile -q $(FAST)

## pythons: the fast suite on other Pythons with the pinned versions, each in an environment of its own; names what it does not find
pythons:
	@ran=; for python in $(PYTHONS); do \
	  if ! $$python -c "import venv, ensurepip" 2> /dev/null; then echo "$$python: not found, not run"; continue; fi; \
	  env=.venv-$$($$python -c "import sys; print('%d.%d' % sys.version_info[:2])"); \
	  run="$$env/$(notdir $(BIN))/python -m"; \
	  $$python -m venv $$env && $$run $(INSTALL) -e ".[dev]" && $$run pytest -n 2 --dist loadfile -q $(FAST) || exit 1; \
	  ran="$$ran $$python"; \
	done; test -n "$$ran" && echo "ran:$$ran"

## sdist: the source archive, the wheel made of it, and the fast suite from the unpacked archive with that wheel, in an environment
##        of its own
sdist: $(VENV)/.dev
	rm -rf $(SDIST) && mkdir -p $(SDIST)/unpacked
	$(RUN) build --outdir $(SDIST) .
	tar -xzf $(SDIST)/*.tar.gz -C $(SDIST)/unpacked --strip-components=1
	$(PYTHON) -m venv $(SDIST)/env
	$(SDIST_PYTHON) -m $(INSTALL) "$$(ls $(SDIST)/*.whl)[dev]"
	cd $(SDIST)/unpacked && PYTHONPATH="$$($(SDIST_PYTHON) -c "import sysconfig; print(sysconfig.get_path('purelib'))"):$(CURDIR)/$(SDIST)/unpacked" \
	  $(SDIST_PYTHON) -P -m pytest -n 2 --dist loadfile -q $(FAST)

## fuzz: every mutation of the reader's test, not only those of continuous integration
fuzz: $(VENV)/.dev
	BIOMECH_ID_FUZZ=all $(RUN) pytest -s tests/real/test_fuzz_c3d.py

## clean: forget environments and caches
clean:
	rm -rf $(VENV) .venv-* build docs/_build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis demo

$(VENV)/.base:
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install -q --upgrade pip
	@touch $@

$(VENV)/.run: $(VENV)/.base setup.cfg pyproject.toml $(PINNED)
	$(PIP) -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(PIP) -e ".[dev]"
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	$(PIP) -e ".[docs]"
	@touch $@

$(VENV)/.peers: $(VENV)/.dev
	$(PIP) -e ".[dev,peers]"
	@touch $@
