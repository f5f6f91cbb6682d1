# The things one does here. Each installs what it needs where it is missing.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: run test check bench fuzz gpu-check

# Opens the window.
run:
	.ci/install run
	cargo run --release

# Every test; one opens a real window on a display of its own.
test:
	.ci/install test
	.ci/nvidia target/nvidia
	cargo build --workspace --lib --bins --tests
	cargo test --workspace

# The lints.
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Every bench, with the ratios that the README's table shows.
bench:
	cargo bench --workspace

# Feeds the readers of files with what nobody would write, SECONDS long each. Needs a nightly Rust and cargo-fuzz:
# rustup toolchain install nightly; cargo install cargo-fuzz
SECONDS ?= 300
fuzz:
	@cargo fuzz --version >/dev/null 2>&1 || { echo "install cargo-fuzz: cargo install cargo-fuzz"; exit 2; }
	@rustup toolchain list | grep -q nightly || { echo "install a nightly Rust: rustup toolchain install nightly"; exit 2; }
	for target in json protobuf kdl sqlite; do \
		cargo +nightly fuzz run --fuzz-dir tests/fuzz $$target -- \
			-max_total_time=$(SECONDS) -rss_limit_mb=2048 -timeout=20 || exit 1; \
	done

# Packs what a machine with an NVIDIA GPU needs for the checks that need one: tests/gpu-check/OPEN.md says how.
BUILT ?= $${CARGO_TARGET_DIR:-target}
gpu-check:
	cargo build --workspace --lib --bins --tests
	tests/gpu-check/pack $(BUILT)/debug $(BUILT)/gpu-check.tar.xz
