# Every task is one word. `make` lists them.

.DEFAULT_GOAL := help
.PHONY: help demo test test-vm test-fleet check build web manual install uninstall dist release \
	test-install bench bench-truth clean

# Where cargo builds, asked once and only by targets that need it.
TARGET = $(eval TARGET := $$(shell scripts/target.sh))$(TARGET)
PROFILE ?= release
BAKEOFF = $(TARGET)/$(PROFILE:dev=debug)/bakeoff
# More words for cargo and for the compiler, from the tests.
BUILD ?=
RUSTC_FLAGS ?=
PREFIX ?= /usr/local
ARGS ?=

# One static binary, which shares nothing with the rest and maps less, where the C library can be
# had so (some distributions package libc.a apart).
LIBC_A := $(shell $(or $(CC),cc) -print-file-name=libc.a 2>/dev/null)
STATIC := $(if $(filter /%,$(LIBC_A)),-C target-feature=+crt-static)

# The report of make demo: in a clone, files of a run belong where git does not see them.
DEMO_PAGE = $(if $(filter -o% --output%,$(ARGS)),,-o $(TARGET)/demo.html)

# The system's Python, for which scripts/packages has pytest.
PYTEST = /usr/bin/python3 -m pytest -q -p no:cacheprovider

MANUAL = $(TARGET)/manual
SHARE = $(DESTDIR)$(PREFIX)/share

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## install what is missing, build, and bake off every filesystem there is here (3 min)
	@scripts/install.sh build
	@$(MAKE) --no-print-directory build
	@$(BAKEOFF) demo --install $(DEMO_PAGE) $(ARGS); code=$$?; [ $$code -le 1 ] || exit $$code

test: ## install what is missing and run every check and test
	@scripts/install.sh build test
	@cargo xtask test

test-vm: ## the program on an emulated PC and Raspberry Pis (ARGS="-k guard --binary PROGRAM")
	@scripts/install.sh build test
	@$(PYTEST) tests/machines -n 2 --dist loadfile $(ARGS)

check: ## the quick checks, while working
	@cargo xtask check

build: web ## the report's charts and the release binary: target/release/bakeoff
	@cargo rustc --profile $(PROFILE) --package bakeoff --bin bakeoff $(BUILD) -- \
		$(STATIC) $(RUSTC_FLAGS)
	@$(BAKEOFF) --version --verbose >/dev/null

web: ## the charts of the report: web/dist
	@scripts/web.sh

manual: ## man pages and completions for bash, zsh and fish: target/manual
	@cargo run --quiet --package bakeoff --example command_line -- $(MANUAL)

install: ## what build and manual made, below PREFIX (/usr/local); as root where that takes root
	@[ -x $(BAKEOFF) ] && [ -d $(MANUAL) ] || \
		{ printf '%s\n' 'There is nothing to install in $(TARGET): run make build manual first.' \
			'After a build elsewhere: make install CARGO_TARGET_DIR=DIRECTORY' >&2; exit 4; }
	install -D -m 755 $(BAKEOFF) $(DESTDIR)$(PREFIX)/bin/bakeoff
	install -D -m 644 -t $(SHARE)/man/man1 $(MANUAL)/man1/*.1
	install -D -m 644 $(MANUAL)/bash/bakeoff.bash $(SHARE)/bash-completion/completions/bakeoff
	install -D -m 644 -t $(SHARE)/zsh/site-functions $(MANUAL)/zsh/_bakeoff
	install -D -m 644 -t $(SHARE)/fish/vendor_completions.d $(MANUAL)/fish/bakeoff.fish
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system packaging/systemd/*

uninstall: ## takes away what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/bakeoff $(SHARE)/man/man1/bakeoff.1 $(SHARE)/man/man1/bakeoff-*.1 \
		$(SHARE)/bash-completion/completions/bakeoff $(SHARE)/zsh/site-functions/_bakeoff \
		$(SHARE)/fish/vendor_completions.d/bakeoff.fish \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/bakeoff-fit@.service \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/bakeoff-fit@.timer

dist: ## static binaries for x86-64, arm64, ARMv7 and ARMv6 in target/dist (ARGS="armv6" for one)
	@scripts/install.sh build dist
	@python3 scripts/release/dist.py $(ARGS)

release: ## every file of a release in target/release-files (ARGS="x86_64" for one machine)
	@scripts/install.sh build dist release
	@python3 scripts/release/release.py $(ARGS)

test-install: ## those files on clean systems, as root (ARGS="-k apt"); prints their table
	@scripts/install.sh build dist release install
	@$(PYTEST) tests/install $(ARGS)

test-fleet: ## the Ansible collection over SSH, as root (ARGS=--machines: on emulated Pis as well)
	@scripts/install.sh build fleet $(if $(findstring --machines,$(ARGS)),dist machines)
	@scripts/ansible.sh lint
	@cargo build --quiet --package bakeoff
	@BAKEOFF_FLEET_INSIDE=1 unshare --net --mount --propagation slave \
		$(PYTEST) tests/fleet -x $(ARGS)

bench: ## against fio, side by side (ARGS="--help"); rewrites docs/performance.md. More in bench/
	@scripts/install.sh build bench
	@$(MAKE) --no-print-directory build
	@python3 bench/compare.py $(ARGS)
	@[ -n "$(ARGS)" ] || { python3 bench/same_as_fio.py && python3 bench/latency.py; }

bench-truth: ## the decisions against disks of known truth; rewrites docs/truth
	@$(MAKE) --no-print-directory build
	@/usr/bin/python3 bench/truth.py $(ARGS)
	@$(PYTEST) tests/machines -m alone -k test_cause

clean: ## remove everything the other targets made
	@cargo clean
	rm -rf web/dist web/node_modules tests/browser/node_modules fuzz/target
