//! All tests that cross modules, in one binary, in folders by what they hold.
#![cfg(test)]

mod formats;
mod house;
mod semantics;
mod window;
