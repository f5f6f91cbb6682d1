//! Helpers of the test binary.
