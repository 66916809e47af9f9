# The project's commands. `make` alone lists them.
#
# Cargo builds the library, CMake everything that C and C++ see; scripts/bootstrap.sh brings cmake and
# ninja where they are missing.

.DEFAULT_GOAL := help
.PHONY: help demo inspect lib install check test recipes sanitize fuzz soak huge abi dist vendored instructions
.PHONY: cross costs bench bench-quick header fmt lint audit advisories msrv doc tools clean

export PATH := $(CURDIR)/.tools/bin:$(PATH)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
export DESTDIR
ROW ?= tests/data/logits/row18.f32

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: tools ## run an engine's loop with this library and with a plain sampler, side by side
	@scripts/demo.sh $(JOBS)

inspect: ## show what a sampler chain does to a row: ROW=file ARGS='--preset llama', --help lists all
	@test -x target/release/s2inspect || echo "building the inspector" >&2
	@cargo run --quiet --release --locked -p s2sampler-inspector -- "$(ROW)" $(ARGS)

lib: tools ## build the library, both kinds
	@scripts/install.sh build "$(PREFIX)" $(JOBS)

install: lib ## install the library into PREFIX, by default /usr/local; DESTDIR is honoured
	@scripts/install.sh install

dist: tools ## make a tarball of the installed library, its SHA-256 and its bill of materials
	@scripts/dist.sh $(JOBS)

check: tools ## the short test of a change: format, clippy, Rust tests at scale quick, some C tests
	@scripts/check.sh $(JOBS)

test: tools ## run every test: Rust, C, C++, CMake with Make and with Ninja
	@scripts/test.sh $(JOBS)

cross: tools ## build and test for other systems, under qemu and Wine; STEPS="short" or names, see scripts/cross.sh
	@JOBS=$(JOBS) scripts/cross.sh $(STEPS)

recipes: tools ## hold every engine's recipe against what the engine returned, from C and Rust; or DIR=path
	@scripts/recipes.sh "$(or $(DIR),tests/data/engines)" $(JOBS)

soak: tools ## draw 10^8 times in all ways, or DRAWS=n times, with the memory recorded: a minute or two
	@scripts/long_test.sh soak $(or $(DRAWS),100000000) $(JOBS)

huge: tools ## draw from rows of 2^31-1 logits: 1 GiB of memory, half a minute
	@scripts/long_test.sh huge 2147483647 $(JOBS)

bench: tools ## time everything and write docs/benchmarks.md: ten minutes, on a machine at rest
	@scripts/bench.sh

bench-quick: tools ## the benchmark's targets, to the terminal: half a minute; ROWS=directory has real rows
	@$(if $(ROWS),S2_LOGITS_DIR="$(ROWS)") scripts/bench.sh quick

instructions: ## count the instructions of fixed draws, compare with the figures; ACCEPT=1 makes new ones
	@scripts/instructions.py $(if $(ACCEPT),--accept)

costs: ## count the instructions of calls as their inputs grow, check the growth; ACCEPT=1 writes the table
	@scripts/costs.py $(if $(ACCEPT),--accept)

audit: ## licences, bans and sources of the dependencies, by deny.toml; needs no network after the first run
	@scripts/audit.sh offline

advisories: ## known vulnerabilities and yanked versions: needs the network, github.com too
	@scripts/audit.sh advisories

msrv: ## check the library with the oldest compiler that Cargo.toml states; rustup installs it
	@scripts/msrv.sh

vendored: ## build the library from vendored crates, without a network
	@scripts/test_vendored.sh

sanitize: tools ## run the tests under sanitizers and valgrind, C, C++ and Rust; JOBS_ONLY="address ..." picks
	@scripts/sanitize.py $(JOBS_ONLY)

abi: ## compare the library's binary interface with the committed one; ACCEPT=1 rewrites it
	@scripts/abi.py $(if $(ACCEPT),--accept)

fuzz: ## run each fuzz target for SECONDS, by default 60; installs nightly and cargo-fuzz
	@scripts/fuzz.sh $(or $(SECONDS),60)

header: ## regenerate include/s2sampler.h from the C layer
	@S2_UPDATE=1 cargo test --quiet --locked --test repository header

fmt: ## format the Rust sources
	@cargo fmt --all

lint: ## check format, clippy and documentation, warnings denied
	@scripts/lint.sh

tools:
	@scripts/bootstrap.sh

clean: ## remove build products; the tools in .tools stay
	@cargo clean --quiet
	@rm -rf build build-*
