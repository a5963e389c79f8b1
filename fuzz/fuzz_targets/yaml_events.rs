//! The scanner over bytes gives libyaml's events, at the same places, or none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::yaml;

fuzz_target!(|text: &[u8]| {
    yaml::compare(text);
});
