//! Both scanners side by side: libyaml emits the same events for a text as this one, at the same places.

#![expect(clippy::print_stderr, reason = "what is measured is printed")]

mod cases;
mod documents;
mod generated;
mod real;

use super::super::to_json;
use super::side_by_side::compare;
