# The four things one does here. Each installs what it needs where it is missing.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: run test check bench

# Opens the window.
run:
	.ci/install run
	cargo run --release

# Every test; one opens a real window on a display of its own.
test:
	.ci/install test
	cargo build --workspace --bins --tests
	cargo test --workspace

# The lints.
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Every bench, with the ratios that the README's table shows.
bench:
	cargo bench --workspace
