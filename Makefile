# The things one does here. Each installs what it needs where it is missing.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: run test long recoveries check deny bench fuzz gpu-check wheel deb

# Opens the window.
run:
	.ci/install run
	cargo run --release

# Every test; one opens a real window on a display of its own.
test:
	.ci/install test
	.ci/nvidia target/nvidia
	.ci/engines target/engines
	.ci/nvtx target/nvtx
	cargo build --workspace --lib --bins --tests
	cargo test --workspace

# What takes longer than one waits for a test: so many generated workloads on every backend, all that is advised about 500 of
# them followed, and every capture in the folder that SYNCLINE_CAPTURES names, written and opened again, compared with its
# bytes, and its causes found by a script in the files themselves; kills of what writes a file, losses with recovery, and
# faults of
# ranks, each at random moments. NUMBER@SEED begins with another seed.
GENERATED ?= 10000
ADVICE ?= 500
KILLS ?= 300
LOSSES ?= 300
RANK_FAULTS ?= 100
long:
	SYNCLINE_EVERY_CAPTURE=1 cargo test -p syncline-tests --test all causes:: -- --nocapture
	SYNCLINE_ADVICE=$(ADVICE) SYNCLINE_GENERATED=$(GENERATED) cargo test -p syncline-tests --test all generated -- --nocapture
	SYNCLINE_ROUND_TRIP=1 cargo test -p syncline-tests --test all round_trip -- --nocapture
	SYNCLINE_EXACT=1 cargo test -p syncline-tests --test all exact -- --nocapture
	SYNCLINE_KILLS=$(KILLS) SYNCLINE_LOSSES=$(LOSSES) SYNCLINE_RANK_FAULTS=$(RANK_FAULTS) \
		cargo test -p syncline-tests --test all endings -- --nocapture

# Loses the device of every bundled workload in many ways, has it replayed, and prints how often that went well: a table
# that one makes by hand. RECOVERIES passes options on, such as --runs 100 --workloads heat, or --busy.
recoveries:
	cargo build -p syncline
	tests/recoveries/table.py --program $${CARGO_TARGET_DIR:-target}/debug/syncline $(RECOVERIES)

# The lints.
check:
	cargo fmt --all --check
	.ci/typos target/typos
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Every bench, with the ratios that the guide on figures shows.
bench:
	cargo bench --workspace

# Checks licences and origins of all dependencies.
deny:
	.ci/deny target/deny

# Feeds the readers of files with what nobody would write, SECONDS long each, beginning with the seeds in tests/fuzz/seeds.
# Needs cargo-fuzz: cargo install cargo-fuzz. Takes a nightly Rust where one is installed; any other is told to compile as
# one would. SQLite is built with the sanitizer too, by a compiler for C in which constants of two functions share a name.
SECONDS ?= 300
TARGETS ?= json protobuf kdl sqlite
FUZZ = $(shell rustup toolchain list 2>/dev/null | grep -q nightly && echo cargo +nightly || echo env RUSTC_BOOTSTRAP=1 cargo)
fuzz:
	@cargo fuzz --version >/dev/null 2>&1 || { echo "install cargo-fuzz: cargo install cargo-fuzz"; exit 2; }
	for target in $(TARGETS); do \
		mkdir -p tests/fuzz/corpus/$$target; \
		ASAN_OPTIONS=detect_odr_violation=0 $(FUZZ) fuzz run --fuzz-dir tests/fuzz $$target tests/fuzz/corpus/$$target tests/fuzz/seeds/$$target -- \
			-max_total_time=$(SECONDS) -rss_limit_mb=2048 -timeout=20 -print_funcs=0 || exit 1; \
	done

# Packs what a machine with an NVIDIA GPU needs for the checks that need one: tests/gpu-check/OPEN.md says how.
BUILT ?= $${CARGO_TARGET_DIR:-target}
gpu-check:
	cargo build --workspace --lib --bins --tests
	tests/gpu-check/pack $(BUILT)/debug $(BUILT)/gpu-check.tar.xz

# Packs the program into target/package: as a wheel for pip, which is the package for Python as well, or for Debian and its kin.
# PROGRAM and LIBRARY pack what was built elsewhere. `assets/guides/install.md` says why there is no AppImage.
wheel deb:
ifndef PROGRAM
	cargo build --release
endif
	app/package/pack.py $@ --program $(or $(PROGRAM),$(BUILT)/release/syncline) \
		--recorder $(or $(LIBRARY),$(BUILT)/release/deps/libcuda_recorder.so) --out target/package
