# The project's commands. `make` alone lists them.
#
# Cargo builds the library, CMake everything that C and C++ see; scripts/bootstrap brings cmake and
# ninja where they are missing.

.DEFAULT_GOAL := help
.PHONY: help demo test instructions sanitize abi bench bench-quick header fmt lint doc tools clean

export PATH := $(CURDIR)/.tools/bin:$(PATH)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: tools ## run an engine's loop with this library and with a plain sampler, side by side
	@scripts/demo $(JOBS)

test: tools ## run every test: Rust, C, C++, CMake with Make and with Ninja
	@scripts/test $(JOBS)

bench: tools ## time everything and write docs/benchmarks.md: ten minutes, on a machine at rest
	@scripts/bench

bench-quick: tools ## the benchmark's targets, to the terminal: half a minute
	@scripts/bench quick

instructions: ## count the instructions of fixed draws, compare with the figures; ACCEPT=1 makes new ones
	@scripts/instructions $(if $(ACCEPT),--accept)

sanitize: tools ## run the tests under sanitizers and valgrind, C, C++ and Rust; JOBS_ONLY="address ..." picks
	@scripts/sanitize $(JOBS_ONLY)

abi: ## compare the library's binary interface with the committed one; ACCEPT=1 writes it anew
	@scripts/abi $(if $(ACCEPT),--accept)

header: ## regenerate include/s2sampler.h from the C layer
	@S2_UPDATE=1 cargo test --quiet --test header

fmt: ## format the Rust sources
	@cargo fmt

lint: ## check format, clippy and documentation, warnings denied
	@scripts/lint

tools:
	@scripts/bootstrap

clean: ## remove what was built; the tools in .tools stay
	@cargo clean --quiet
	@rm -rf build build-*
