//! The scanner over bytes tells what libyaml tells, at the same places, or nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::yaml;

fuzz_target!(|text: &[u8]| {
    yaml::compare(text);
});
