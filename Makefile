# Every task is one word. `make` lists them.

.DEFAULT_GOAL := help
.PHONY: help demo test test-vm check build web dist bench bench-truth clean

BAKEOFF := target/release/bakeoff
ARGS ?=

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## install what is missing, build, and bake off every filesystem there is here (5 min)
	@scripts/install.sh build demo
	@$(MAKE) --no-print-directory build
	@$(BAKEOFF) demo $(ARGS); code=$$?; [ $$code -le 1 ] || exit $$code

test: ## install what is missing and run every check and test
	@scripts/install.sh build demo test
	@cargo xtask test

test-vm: ## the program on emulated machines: a PC and two Raspberry Pis (ARGS="--help" for more)
	@scripts/install.sh build demo test
	@cargo xtask test-vm $(ARGS)

check: ## the quick checks, while working
	@cargo xtask check

build: web ## the report's charts and the release binary: target/release/bakeoff
	@cargo build --release --package bakeoff

web: ## the charts of the report: web/dist
	@scripts/web.sh

dist: ## static binaries for x86-64, arm64, ARMv7 and ARMv6 in target/dist (ARGS="armv6" for one)
	@scripts/install.sh build dist
	@cargo xtask dist $(ARGS)

bench: ## against fio, side by side (ARGS="--help" for more); rewrites docs/performance.md
	@scripts/install.sh build bench
	@$(MAKE) --no-print-directory build
	@cargo xtask bench $(ARGS)

bench-truth: ## the decisions against disks of known truth; rewrites docs/truth.md
	@$(MAKE) --no-print-directory build
	@cargo xtask bench-truth $(ARGS)

clean: ## remove everything the other targets made
	rm -rf target web/dist web/node_modules tests/browser/node_modules fuzz/target
