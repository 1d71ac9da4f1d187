# Everything a developer or CI calls. `make help` lists it.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: help install engine image fmt check test demo clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## */\t/' | expand -t12

install: $(VENV)/.installed  ## create the environment with everything needed to develop

$(VENV)/.installed: pyproject.toml
	scripts/ensure-venv $(PYTHON) $(VENV)
	touch $@

engine:  ## make sure that a Docker engine runs, installing one where that is allowed
	scripts/ensure-engine

image: install engine  ## build the sandbox image, with a local base where no registry answers
	scripts/build-image $(BIN)

fmt: install  ## format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: install  ## lint, types, formatting: what CI runs beside the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: image  ## the whole test suite, docker tests included
	$(BIN)/python -m pytest --cov --cov-report=term

demo: image  ## judge the example bundles with the embedded model, in real containers
	scripts/demo $(BIN)

clean:  ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
