//! Regular expressions: nothing panics, and a search stops when its steps are used up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::re2::Pattern;

fuzz_target!(|data: (&str, &str)| {
    let Ok(pattern) = Pattern::parse(data.0) else { return };
    let mut budget = 100_000;
    let _ = pattern.is_match_within(data.1, &mut budget);
});
