# `make demo` and `make test` need Python 3.11+, git and pip; both make their own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
# What is in the environment: the product; what tests and linters need; Playwright.
PRODUCT := $(VENV)/.product
READY := $(VENV)/.ready
PAGES := $(VENV)/.pages
CONTRACT := .contract
CORES := $(shell nproc 2>/dev/null || echo 1)
# Half as many again as there are cores: tests wait for git, sandboxes and browsers.
SPREAD := -n $(shell expr $(CORES) \* 3 / 2) --dist worksteal
CHROMIUM := command -v chromium || command -v chromium-browser || command -v google-chrome
CLIENTS := .clients
# Of `make fresh`: the image has git and make; OPTIONS='--user 1000 --env HOME=/tmp'
IMAGE ?= python:3.13
OPTIONS ?=

# Tests start hundreds of Pythons; none of them has to compile what another one has.
unexport PYTHONDONTWRITEBYTECODE
# SANDBOX=landlock: the sandbox that `make demo` and `make test` use
ifdef SANDBOX
export SKILLFORGE_SANDBOX := $(SANDBOX)
endif

.PHONY: demo test test-all test-sandboxes lint pages browser fresh reference docs bench \
	pictures contract clients inspector soak clean

$(PRODUCT): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --editable '.[sandbox]'
	@touch $@

$(READY): $(PRODUCT)
	$(call install-extra,dev)
	@touch $@

# Adds what an extra names, and doesn't build the product again. Python compiles what it
# imports; most of it never is.
define install-extra
$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))\
["project"]["optional-dependencies"]["$(1)"], sep="\n")' >$(VENV)/$(1).txt
$(PIP) install --no-compile --requirement $(VENV)/$(1).txt
endef

demo: $(PRODUCT)  ## the loop on a temporary library
	$(BIN)/skillforge demo

test: lint pages  ## what must pass before every push: within five minutes
	$(BIN)/pytest $(SPREAD) -m 'not slow'

test-all: lint pages  ## all of it, as our workflow runs it
	$(BIN)/pytest $(SPREAD)

test-sandboxes: $(READY)  ## tests/sandbox in every other sandbox that works here
	@names=$$($(BIN)/python -m tests.sandbox) || exit 1; for name in $$names; do \
	  echo "tests/sandbox in $$name"; \
	  SKILLFORGE_SANDBOX=$$name $(BIN)/pytest $(SPREAD) tests/sandbox || exit 1; done

lint: $(READY)  ## style, types and the layers of the house
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	MYPY_NUM_WORKERS=$(CORES) $(BIN)/mypy

pages: $(READY)  # installs no browser; without one, the tests of pages skip
	@if ! { $(CHROMIUM); } >/dev/null; then \
	  echo 'no Chromium: the tests of pages are skipped; `make browser` installs one'; \
	elif ! $(MAKE) --quiet --no-print-directory $(PAGES); then \
	  echo 'no Playwright for this system: the tests of pages are skipped'; fi

$(PAGES): $(READY)
	$(call install-extra,pages)
	@touch $@

# libatomic1 is for the Node that Playwright brings.
browser:  ## a Chromium for the tests of pages, with apt-get if you are root
	@{ $(CHROMIUM); } || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  timeout 300 sh -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
	  apt-get -qq install --yes --no-install-recommends chromium libatomic1' >/dev/null && $(CHROMIUM); } || \
	  { echo 'install Chromium with your package manager, or run `make browser` as root'; \
	  exit 1; }
	@$(MAKE) --quiet --no-print-directory pages

fresh:  ## `make demo` and `make test` of HEAD in a new container; IMAGE=python:3.11
	@for engine in docker podman none; do $$engine info >/dev/null 2>&1 && break; done; \
	test $$engine != none || { \
	  echo '`make fresh` needs docker or podman, and neither works here'; exit 1; }; \
	git bundle create --quiet - HEAD | $$engine run --rm --interactive $(OPTIONS) \
	  --env PIP_INDEX_URL $(IMAGE) sh -c 'cd "$$(mktemp -d)" && cat >head.bundle && \
	  git clone --quiet --config advice.detachedHead=false head.bundle project && \
	  cd project && make demo && make test'

reference: $(READY)  ## docs/reference, schemas/output, the README table and sign words, from the code
	$(BIN)/python -m tests.docs.reference
	$(BIN)/python -m tests.checks.scan.sign_words

docs: reference  ## also the console blocks of README and docs, from real runs; PAGE=docs/learn.md
	$(BIN)/python -m tests.docs $(PAGE)

bench: $(READY)  ## all figures beside targets and peers, in benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

pictures: browser  ## the pictures of README and docs, made by the tool itself
	$(BIN)/python -m tests.pictures

soak: $(READY)  ## half an hour of everything at once on one library; SOAK='--seed 7'
	$(BIN)/python -m tests.soak $(SOAK)

contract: $(READY)  ## what we ask of GitHub against its published description
	mkdir -p $(CONTRACT)
	cd $(CONTRACT) && npm pack --silent @octokit/openapi && tar -xzf octokit-openapi-*.tgz
	rm -f $(CONTRACT)/exchanges.jsonl
	SKILLFORGE_EXCHANGES=$(CURDIR)/$(CONTRACT)/exchanges.jsonl $(BIN)/pytest tests/github
	$(BIN)/python -m tests.github.contract $(CONTRACT)/exchanges.jsonl \
		--openapi $(CONTRACT)/package/generated/api.github.com.json

clients: $(READY)  ## install from a built hub with the clients that people use
	npm install --silent --no-fund --no-audit --prefix $(CLIENTS) \
		skills openskills @anthropic-ai/claude-code
	$(BIN)/python -m tests.clients $(CLIENTS)

inspector: $(READY)  ## the MCP inspector lists our tools (needs npm)
	npx --yes @modelcontextprotocol/inspector --cli $(BIN)/skillforge mcp --library . \
		--method tools/list | $(BIN)/python -c 'import json, sys; \
		print(*(tool["name"] for tool in json.load(sys.stdin)["tools"]), sep="\n")'

clean:
	rm -rf $(CONTRACT) $(CLIENTS) $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
