//! A whole file: loading, checking, rendering. Nothing panics, there is one verdict, and rendered output renders as
//! itself.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use olmdex::ask::check_catalog;
use olmdex::diag::{Severity, text};
use olmdex::fbc::{Format, Input, Level, Rendering, Selection, Sorted};
use olmdex::json::Expansion;

fuzz_target!(|data: &[u8]| {
    let input = Input::bytes("catalog", Arc::from(data));
    let report = check_catalog(&input, None);
    assert_eq!(report.has_errors(), report.opm.is_some(), "{report:#?}");
    assert_eq!(report.has_errors(), report.findings.iter().any(|it| it.rule.severity == Severity::Error));
    for finding in &report.findings {
        let elsewhere = text::Elsewhere { names: "`--all`", findings: "`--all`" };
        let shown = text::finding_of_many(finding, 0, elsewhere, text::Color::Off);
        assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
    }
    let rendered = |input: &Input, format| {
        let expansion = Expansion::default();
        let how = Rendering { format, level: Level::None, selection: Selection { packages: &[] }, expansion: &expansion };
        let mut sorted = Sorted::new(how);
        let defects = sorted.read(input);
        (sorted.to_vec().expect("it is in memory"), defects.len())
    };
    let (once, _) = rendered(&input, Format::Json);
    let (twice, n_defects) = rendered(&Input::bytes("once", Arc::from(&*once)), Format::Json);
    assert_eq!((String::from_utf8_lossy(&twice), n_defects), (String::from_utf8_lossy(&once), 0));
    let _ = rendered(&input, Format::Yaml);
});
