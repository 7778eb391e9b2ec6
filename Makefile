# make        build .venv from the lock        make test   the whole test suite
# make run    start the bot                    make check  ruff, mypy, the floors
# make demo   see it work, no account needed   make lock   resolve the locks anew (needs uv)
# make screens   play the README's scenes and write their texts and pictures anew (needs chromium)

SHELL := /bin/sh
.DEFAULT_GOAL := venv
.DELETE_ON_ERROR:
.PHONY: venv dev run demo test check lock screens

PYTHON ?= python3
BIN := .venv/bin
UV := $(shell command -v uv 2>/dev/null || { test -x $(BIN)/uv && echo $(BIN)/uv; })
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export UV_PYTHON_DOWNLOADS := never

ifneq ($(UV),)
INSTALL := VIRTUAL_ENV=$(CURDIR)/.venv $(UV) pip install --quiet
MAKE_VENV := $(UV) venv --quiet --allow-existing --python $(PYTHON) .venv
else
INSTALL := $(BIN)/python -m pip install --quiet
MAKE_VENV := $(PYTHON) -m venv .venv || { rm -rf .venv; \
	echo "No virtual environment can be made: install python3-venv (apt-get install python3-venv), or uv." >&2; exit 1; }
endif

venv: .venv/ready
dev: .venv/ready-dev

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: PYTHON=python3.12 make")'
	@$(MAKE_VENV)

.venv/ready: requirements.lock pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

.venv/ready-dev: requirements-dev.lock .venv/ready
	$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

run: venv
	@$(BIN)/jarvis run $(ARGS)

demo: venv
	@$(BIN)/jarvis demo $(ARGS)

test: dev
	$(BIN)/python -m pytest -n auto -rs $(ARGS)

check: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 0 tests/test_floors.py

screens: dev
	$(BIN)/python -m tests.screens $(ARGS)

LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-annotate --custom-compile-command "make lock"

lock:
	@test -n "$(UV)" || { echo "make lock needs uv (the builds don't)." >&2; exit 1; }
	echo "setuptools>=77" | $(LOCK) pyproject.toml - -o requirements.lock
	$(LOCK) pyproject.toml --extra dev -c requirements.lock -o requirements-dev.lock
