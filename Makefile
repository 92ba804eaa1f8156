# make demo and make test need Python 3.11+, git and pip; both make their own .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CONTRACT := .contract
# One more than there are cores: tests wait for git, sandboxes and browsers.
SPREAD := -n $(shell expr $$(nproc 2>/dev/null || echo 1) + 1) --dist worksteal
CLIENTS := .clients

# Tests start hundreds of Pythons; none of them has to compile what another one has.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all lint browser reference bench pictures contract clients \
	inspector soak clean

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)  ## the loop on a temporary library
	$(BIN)/skillforge demo

test: lint browser  ## what must pass before every push: within five minutes
	$(BIN)/pytest $(SPREAD) -m 'not slow'

test-all: lint browser  ## all of it, as our workflow runs it
	$(BIN)/pytest $(SPREAD)

browser:  ## a Chromium for the tests of our pages, where one can be had; else they skip
	@command -v chromium || command -v chromium-browser || command -v google-chrome || { \
	  test "$$(id -u)" = 0 && export DEBIAN_FRONTEND=noninteractive && timeout 300 \
	  sh -c 'apt-get update && apt-get install --yes --no-install-recommends chromium' \
	  >/dev/null 2>&1; } || echo 'no Chromium: the tests of our pages will be skipped'

lint: $(READY)  ## style, types and the layers of the house
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

reference: $(READY)  ## docs/reference/ from the code
	$(BIN)/python -m tests.docs.reference

bench: $(READY)  ## all figures beside targets and peers, in benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

pictures: $(READY) browser  ## the pictures of README and docs, made by the tool itself
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
