//! Rules that catalogs could hold to do harm, and rules at the edges of the language.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use olmdex::constraint::cel::{Fuel, Rule, RuleError, Value};
use proptest::prelude::*;

fn properties() -> Value {
    Value::properties(
        [("a", "1"), ("b", "\"text\""), ("m", r#"{"k":[1,2,{"x":null}],"k":2}"#), ("bad", "{nope")].into_iter(),
    )
}

/// `None` if the rule does not compile, or has no value.
fn holds(rule: &str) -> Option<bool> {
    Rule::compile(rule).ok()?.holds(&properties(), &Fuel::new(1_000_000)).unwrap().ok()
}

#[test]
fn the_language_at_its_edges() {
    for (rule, expected) in [
        ("size(properties) == 4", Some(true)),
        ("properties[2].value.k == 2.0", Some(true)),
        ("properties[3] == {}", Some(true)),
        ("properties.map(p, has(p.type), p.type) == ['a', 'b', 'm']", Some(true)),
        ("properties.filter(p, has(p.value)).size() == 3", Some(true)),
        ("{1: 'x', 2u: 'y'}[2] == 'y'", Some(true)),
        ("{'a': 1, 'a': 2}.size() == 2", None),
        ("[1, 2, 3][3] == 1", None),
        ("-9223372036854775808 - 1 < 0", None),
        ("5 % 0 == 0", None),
        ("5 / 2 == 2 && -5 / 2 == -2 && 5 % -3 == 2", Some(true)),
        ("1.0 / 0.0 > 1e308", Some(true)),
        ("'é'.size() == 1 && size(b'é') == 2", Some(true)),
        ("int('12') == 12 && string(1.5) == '1.5' && uint(3) == 3u && double('2') == 2.0", Some(true)),
        ("int('x') == 1", None),
        ("bool('yes')", None),
        ("type(properties) == list && type(1u) == uint && type(type(1)) == type", Some(true)),
        ("type(timestamp(0)) == google.protobuf.Timestamp", Some(true)),
        ("timestamp('2024-02-29T12:00:00Z') + duration('24h') == timestamp('2024-03-01T12:00:00Z')", Some(true)),
        ("timestamp('2024-02-29T12:00:00Z').getDayOfYear() == 59", Some(true)),
        ("timestamp('2024-02-29T23:30:00Z').getHours('+01:00') == 0", Some(true)),
        ("timestamp('2024-02-29T23:30:00Z').getHours('Europe/Berlin') == 0", None),
        ("duration('90m').getHours() == 1", Some(true)),
        ("'a' in {'a': 1} && !(1 in [2, 3])", Some(true)),
        ("properties.exists_one(p, p.type == 'a')", None),
        ("dyn(1) == 'x'", Some(false)),
        ("true ? 1 == 1 : 'x'", None),
        ("'abc'.matches('^a.c$') && matches('abc', 'b')", Some(true)),
        ("'a'.matches('(a*)*b')", Some(false)),
        ("semver_compare('1.0.0', 'v1') == 0", Some(true)),
        ("semver_compare(0.00001, '0.0.1') == 0", None),
        ("properties.unknown()", None),
        ("Foo{a: 1} == 1", None),
        (".properties.size() == 4", Some(true)),
        ("properties.all(for, true)", None),
        ("'''a\n'b'''.size() == 4 && r'\\' == '\\\\' // end", Some(true)),
    ] {
        assert_eq!(holds(rule), expected, "{rule}");
    }
}

#[test]
fn what_is_too_long_or_too_deep_is_refused() {
    let sum = format!("0{} == 0", "+1".repeat(40_000));
    let select = format!("properties[0]{}", ".a".repeat(40_000));
    let index = format!("properties{}", "[0]".repeat(30_000));
    let choice = format!("{}true", "true ? true : ".repeat(5_000));
    for rule in [sum, select, index, choice, "-".repeat(90_000), "[".repeat(90_000), "{".repeat(90_000)] {
        assert!(Rule::compile(&rule).is_err(), "{}…", &rule[..20]);
    }
    let rule = Rule::compile(&format!("0{} == 5000", "+1".repeat(5_000))).unwrap();
    assert_eq!(rule.holds(&properties(), &Fuel::new(100_000)), Ok(Ok(true)));
    assert!(rule.holds(&properties(), &Fuel::new(1_000)).is_err());
    assert!(matches!(Rule::compile(&" ".repeat(100_001)), Err(RuleError::Size { .. })));
    // As deep as is allowed.
    for rule in [
        format!("0{} == 5000", "+1".repeat(5_000)),
        format!("{}true{}", "(".repeat(249), ")".repeat(249)),
        format!("{}1{} != [1]", "[".repeat(200), "]".repeat(200)),
        format!("{}true", "!".repeat(400)),
    ] {
        assert!(Rule::compile(&rule).is_ok() || rule.starts_with('['), "{}…", &rule[..20]);
    }
}

#[test]
fn work_is_counted() {
    let many = Value::properties((0..300).map(|_| ("x", "\"0123456789\"")));
    for rule in [
        "properties.all(a, properties.all(b, properties.all(c, true)))",
        "properties.map(a, properties.map(b, properties)).size() == properties.map(a, properties.map(b, properties)).size() && \
         properties.map(a, properties.map(b, properties)) == properties.map(a, properties.map(b, properties))",
        "properties.map(a, properties.map(b, properties.map(c, c.value + c.value + c.value))).size() == 0",
    ] {
        let rule = Rule::compile(rule).unwrap();
        assert!(rule.holds(&many, &Fuel::new(3_000_000)).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_it_panic(text in "[a-z0-9'\"(){}\\[\\].,?:!&|<>=+*/% -]{0,60}") {
        if let Ok(rule) = Rule::compile(&text) {
            let _ = rule.holds(&properties(), &Fuel::new(100_000));
        }
    }

    #[test]
    fn no_rule_makes_it_panic(
        parts in prop::collection::vec(prop::sample::select(vec![
            "properties", "p", "1", "1.5", "'a'", "null", "true", "[", "]", "(", ")", ".exists(p, ", ".map(p, ", ".type", ".value",
            " == ", " + ", " in ", " && ", " || ", "!", " ? ", " : ", "size(", "has(", "{", "}", ", ", "semver_compare(",
        ]), 0..14),
    ) {
        if let Ok(rule) = Rule::compile(&parts.concat()) {
            let _ = rule.holds(&properties(), &Fuel::new(100_000));
        }
    }
}
