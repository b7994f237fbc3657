# Every task is one word. `make` lists them.

.DEFAULT_GOAL := help
.PHONY: help demo test check build web bench clean

BAKEOFF := target/release/bakeoff
ARGS ?=

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## install what is missing, build, and bake off every filesystem there is here (5 min)
	@scripts/install.sh build demo
	@$(MAKE) --no-print-directory build
	@$(BAKEOFF) demo $(ARGS); code=$$?; [ $$code -le 1 ] || exit $$code

test: ## install what is missing and run every check and test
	@scripts/install.sh build demo test
	@cargo xtask test

check: ## the quick checks, while working
	@cargo xtask check

build: web ## the report's charts and the release binary: target/release/bakeoff
	@cargo build --release --package bakeoff

web: ## the charts of the report: web/dist
	@scripts/web.sh

bench: ## against fio, side by side (ARGS="--help" for more); rewrites docs/performance.md
	@scripts/install.sh build bench
	@$(MAKE) --no-print-directory build
	@cargo xtask bench $(ARGS)

clean: ## remove everything the other targets made
	rm -rf target web/dist web/node_modules tests/browser/node_modules fuzz/target
