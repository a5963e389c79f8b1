//! Versions and the two range languages: nothing panics, and versions have the order of their keys.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::version::blang::Range;
use olmdex::version::masterminds::Constraint;
use olmdex::version::{Release, Version};

fuzz_target!(|data: (&str, &str, &str)| {
    let (range, a, b) = data;
    let (range_a, range_b) = (Range::parse(range), Constraint::parse(range));
    let _ = (Release::parse(a), Version::parse_tolerant(a));
    let Ok(a) = Version::parse(a) else { return };
    assert_eq!(Version::parse(&a.to_string()).map(|it| it.to_string()), Ok(a.to_string()));
    if let Ok(range) = range_a {
        let _ = range.contains(&a);
    }
    if let Ok(constraint) = range_b {
        let _ = constraint.matches(&a);
    }
    if let Ok(b) = Version::parse(b) {
        assert_eq!(a.cmp_precedence(&b), a.sort_key().cmp(&b.sort_key()));
    }
});
