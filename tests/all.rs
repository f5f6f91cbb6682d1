//! All tests that cross modules, in one binary.
