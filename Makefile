# Everything a developer or CI calls. `make help` lists it.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: help install engine image fmt check test coverage bench soak demo clean

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
	scripts/run-tests $(BIN)

coverage: image  ## the same in one lane, with the lines and branches that no test reaches
	$(BIN)/python -m pytest --cov --cov-report=term

bench: image  ## measure beside floors of the same run (SECTIONS=gate,startup QUICK=1 STRICT=1 PEER=inspect)
	$(BIN)/python -m bench $(if $(SECTIONS),--sections $(SECTIONS)) $(if $(QUICK),--quick) \
		$(if $(STRICT),--strict) $(if $(PEER),--peer $(PEER))

soak: image  ## disturb runs for 20 minutes (SOAK_MINUTES) and run 10,000 bundles (LONG_RUN_BUNDLES)
	LONG_RUN_BUNDLES=$${LONG_RUN_BUNDLES:-10000} $(BIN)/python -m pytest -s tests/chaos
	$(BIN)/python -m tests.chaos.soak

demo: image  ## judge the example bundles with the embedded model, in real containers
	scripts/demo $(BIN)

clean:  ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
