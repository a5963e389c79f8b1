//! Rules in CEL: nothing panics, neither while a rule is compiled nor while it runs, and it stops when its fuel is used
//! up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmdex::constraint::cel::{Rule, Value, budget};

fuzz_target!(|text: &str| {
    let Ok(rule) = Rule::compile(text) else { return };
    let properties = Value::properties([("olm.package", r#"{"packageName": "p", "version": "1.2.3"}"#)].into_iter());
    let _ = rule.holds(&properties, &budget(100_000));
});
