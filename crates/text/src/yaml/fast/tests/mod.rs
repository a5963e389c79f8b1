//! Both scanners side by side: what this one tells of a text, libyaml tells too, at the same places.

#![expect(clippy::print_stderr, reason = "what is measured is printed")]

mod cases;
mod documents;
mod generated;
mod real;

use super::super::to_json;
use super::side_by_side::compare;
