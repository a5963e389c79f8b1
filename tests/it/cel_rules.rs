//! Rules with which catalogs could do harm, and rules at the edges of the language.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use olmdex::budget::Exhausted;
use olmdex::constraint::cel::{Rule, RuleErrorKind, Value, budget};
use proptest::prelude::*;

fn properties() -> Value {
    Value::properties(
        [("a", "1"), ("b", "\"text\""), ("m", r#"{"k":[1,2,{"x":null}],"k":2}"#), ("bad", "{nope")].into_iter(),
    )
}

/// `None` if the rule does not compile, or has no value.
fn holds(rule: &str) -> Option<bool> {
    Rule::compile(rule).ok()?.holds(&properties(), &budget(1_000_000)).unwrap().ok()
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
        ("{'a': 1, 'a': 2} == {'a': 2}", Some(true)),
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

/// Rules that compile, with their values; `None` for an error, which OLM takes as no.
const EVALUATED: &[(&str, Option<bool>)] = &[
    // Numbers of different types.
    ("dyn(1) == 1.0 && dyn(1u) == 1 && dyn(1.5) != 1", Some(true)),
    ("dyn(1) < 1.5 && dyn(2u) > 1.5 && dyn(-1) < 1u", Some(true)),
    ("dyn(double('nan')) < 1.0", None),
    ("dyn(double('nan')) == double('nan')", Some(false)),
    ("dyn(9223372036854775807) == 9223372036854775808.0", Some(true)),
    ("[1].exists(x, x < 1.5)", Some(true)),
    ("[].all(x, true) && 1 < 2.0 && 1u >= 1", Some(true)),
    ("dyn(1) + 1.0 == 2.0", None),
    ("9223372036854775807 + 1 > 0", None),
    ("-9223372036854775808 / -1 > 0", None),
    ("0u - 1u > 0u", None),
    ("-(-9223372036854775808) > 0", None),
    ("7 % -3 == 1 && -7 % 3 == -1", Some(true)),
    ("0x1F == 31 && -0x8000000000000000 == -9223372036854775808 && 0xFFu == 255u", Some(true)),
    ("int(1.9) == 1 && int(-1.9) == -1 && uint(1.9) == 1u", Some(true)),
    ("int(9223372036854775807.0) > 0", None),
    ("uint('+1') == 1u", None),
    ("int('+1') == 1", Some(true)),
    ("double('0x1p4') == 16.0 && double('1_000') == 1000.0", Some(true)),
    ("double('1e400') > 0.0", None),
    ("string(1e20) == '1e+20' && string(1234567.0) == '1.234567e+06' && string(100000.0) == '100000'", Some(true)),
    ("string(0.00001) == '1e-05' && string(-0.0) == '-0' && string(1.0/0.0) == '+Inf'", Some(true)),
    ("--1 == 1 && ---1 == -1 && -(1) == -1 && !!true", Some(true)),
    // Keys.
    ("{1: 'a', 1u: 'b', 1.0: 'c'}.size() == 3", Some(true)),
    ("{1: 'a'}[dyn(1.0)] == 'a' && {1u: 'a'}[dyn(1)] == 'a'", Some(true)),
    ("{1.0: 'a'}[dyn(1)] == 'a'", None),
    ("dyn(1.0) in {1: 2} && dyn(1u) in {1: 2} && !(dyn(1.5) in {1: 2})", Some(true)),
    ("{b'a': 1}.size() == 1", None),
    ("{[1]: 2}.size() == 1", Some(true)),
    ("dyn(b'a') in {1: 2}", None),
    ("dyn(b'a') in properties[2].value", Some(false)),
    ("{null: 1}.size() == 1", Some(true)),
    ("{true: 1}[true] == 1", Some(true)),
    ("{'a': 1}[dyn([1])] == 1", None),
    ("[1, 2][dyn(1.0)] == 2 && [1, 2][dyn(1u)] == 2", Some(true)),
    ("[1, 2][dyn(0.5)] == 2", None),
    ("[1, 2][dyn('a')] == 2", None),
    ("{'a': [1]} == {'a': [dyn(1.0)]}", Some(true)),
    ("dyn({1: 1}) == {1u: 1.0}", Some(true)),
    // has()
    ("has(properties[0].value.x)", Some(false)),
    ("has(properties[1].value.x) || has(dyn(null).x)", Some(false)),
    ("has(dyn([1]).x)", None),
    ("has(properties[9].value)", None),
    ("has(properties[2].value.k) && !has(properties[2].value.nope)", Some(true)),
    ("has(properties[2].value.nope.nope)", None),
    ("has({'a': 1}.a) && !has({'a': 1}.b)", Some(true)),
    // Errors are absorbed.
    ("1 / 0 == 1 || true", Some(true)),
    ("true || 1 / 0 == 1", Some(true)),
    ("1 / 0 == 1 && false", Some(false)),
    ("1 / 0 == 1 || false", None),
    ("!(1 / 0 == 1)", None),
    ("(1 / 0 == 1 || true) && !(1 / 0 == 1 && false)", Some(true)),
    ("dyn(1) || true", Some(true)),
    ("dyn(1) && true", None),
    ("true ? true : 1 / 0 == 1", Some(true)),
    ("(1 / 0 == 1) ? true : true", None),
    ("[1, 0].exists(x, 1 / x == 1) && [0, 1].exists(x, 1 / x == 1)", Some(true)),
    ("[0, 2].exists(x, 1 / x == 1)", None),
    ("[0, 2].all(x, 1 / x == 1)", Some(false)),
    ("[0, 1].exists_one(x, 1 / x == 1)", None),
    ("[2, 1].existsOne(x, 1 / x == 1)", Some(true)),
    ("[0].map(x, 1 / x).size() == 1", None),
    ("[1, 2, 3].map(x, x > 1, x * 2) == [4, 6] && [1, 2].filter(x, x == 2) == [2]", Some(true)),
    ("{'a': 1, 'b': 2}.all(k, k in ['a', 'b']) && {'a': 1}.map(k, k + 'x') == ['ax']", Some(true)),
    ("dyn('abc').exists(c, true)", None),
    ("[[1, 2], [3]].all(x, x.all(y, y > 0)) && [1].all(x, [2].all(x, x == 2) && x == 1)", Some(true)),
    // Texts.
    ("'\\u00e9' == 'é' && '\\U0001F600' == '😀' && '\\101\\x41' == 'AA' && '\\?\\`' == '?`'", Some(true)),
    ("b'\\xff'.size() == 1 && '\\xff'.size() == 1 && b'\\377' == b'\\xff' && b'é'.size() == 2", Some(true)),
    ("r'\\n' == '\\\\n' && R\"a\" == 'a' && br'\\x' == b'\\\\x' && bR'x' == B'x'", Some(true)),
    ("\"\"\"a\r\nb\rc\"\"\" == 'a\\nb\\nc' && '''''' == ''", Some(true)),
    ("string(b'\\xff') == 'x'", None),
    ("'é' < 'f' || bytes('b') > b'a'", Some(true)),
    ("'a' + 'b' == 'ab' && b'a' + b'b' == b'ab' && [1] + [2] == [1, 2]", Some(true)),
    ("bool('True') && !bool('f')", Some(true)),
    ("bool('tRUE')", None),
    ("'1.0.0'.matches(r'^\\d+\\.\\d+') && !'٣'.matches(r'\\d') && !'é'.matches(r'^\\w$')", Some(true)),
    ("'a'.matches('a**')", None),
    ("[9, 4.0, 'a'].exists(v, type(v) == double) && type(null) == null_type && type([]) == list", Some(true)),
    ("type(type(1)) == type && type({}) == map && type(b'') == bytes && int == type(1)", Some(true)),
    // Time.
    ("string(timestamp('2000-01-01T00:00:00.50+02:00')) == '2000-01-01T00:00:00.5+02:00'", Some(true)),
    ("timestamp('2000-01-01T00:00:00+02:00') == timestamp('1999-12-31T22:00:00Z')", Some(true)),
    ("timestamp('2000-01-01T00:00:00+02:00').getHours() == 22", Some(true)),
    ("timestamp('2000-01-01T00:00:00Z').getHours('-01:30') == 22 && timestamp(0).getMonth('UTC') == 0", Some(true)),
    ("timestamp('2000-01-01t00:00:00z') == timestamp(0)", None),
    ("timestamp(253402300799) + duration('1s') > timestamp(0)", None),
    ("timestamp(253402300800) > timestamp(0)", None),
    ("int(timestamp('1969-12-31T23:59:59.5Z')) == -1 && int(duration('1s')) == 1000000000", Some(true)),
    ("string(duration('1h30m')) == '5400s' && string(duration('-1500ms')) == '-1.5s'", Some(true)),
    ("duration('-90m').getHours() == -1 && duration('90m').getMinutes() == 90", Some(true)),
    ("duration('1500ms').getMilliseconds() == 1500 && duration('1.5h') == duration('90m')", Some(true)),
    ("-dyn(duration('1s')) == duration('-1s')", Some(true)),
    ("-dyn(1u) == 1", None),
    ("timestamp(null) == timestamp(0)", None),
    ("duration('1s') == null", Some(false)),
    // Versions.
    (
        "semver_compare('v1.2', '1.2.0') == 0 && semver_compare(1.5, '1.5.0') == 0 && semver_compare(2, '10.0.0') == -1",
        Some(true),
    ),
    ("semver_compare(1000000.0, '1.0.0') == 1", None),
    ("semver_compare(properties, '1.0.0') == 1", None),
    // Names and marks.
    ("[1].all(if_, if_ == 1) && {'for': 1}.for == 1 && {'a-b': 1}.`a-b` == 1", Some(true)),
    ("[1,].size() == 1 && [,].size() == 0 && {'a': 1,}.size() == 1 && {,}.size() == 0", Some(true)),
    (".size('a') == 1 && .properties == properties", Some(true)),
    ("[1].all(properties, properties == 1)", Some(true)),
    ("[1].all(p, .properties.size() == 4)", Some(true)),
    ("properties.exists(.x, true)", Some(true)),
    ("true// not part of it", Some(true)),
    ("\ttrue\n\r\u{c}", Some(true)),
    ("1in[1]", Some(true)),
    (
        "[{'google': 1}].all(g, g.google == 1) && [{'protobuf': {'Duration': 1}}].all(google, google.protobuf.Duration == 1)",
        Some(true),
    ),
    (
        "type(duration('1s')) == google.protobuf.Duration && type(duration('1s')) == .google.protobuf.Duration",
        Some(true),
    ),
    // Types that stay open.
    ("[] == [1] && [] == []", Some(false)),
    ("[].all(x, x == 1 && x == 2)", Some(true)),
    ("[].all(x, x.y.z == 1)", Some(true)),
    ("{}.all(k, {}[k] == 1) && !({}.size() > 0)", Some(true)),
    ("([] + [1])[0] == 1 && [[], [1]][1][0] == 1", Some(true)),
    ("[1, 'a'][0] == 1 && [1, 'a'].map(x, x) == [1, 'a']", Some(true)),
    ("properties.filter(p, has(p.value)).map(p, p.value)[1] == 'text'", Some(true)),
    ("properties.map(p, p.value)[1] == 'text'", None),
    ("properties[0].value == 1 && properties[0].value < 2 && properties[0].value != 'x'", Some(true)),
    ("dyn(properties[2].value).exists(k, k == 'k') && properties[2].value.k == 2.0", Some(true)),
];

#[test]
fn what_rules_give_is_what_cel_go_gives() {
    for (rule, expected) in EVALUATED {
        let compiled = Rule::compile(rule).unwrap_or_else(|error| panic!("{rule}: {error}"));
        let holds = compiled.holds(&properties(), &budget(1_000_000)).unwrap();
        assert_eq!(holds.clone().ok(), *expected, "{rule}: {holds:?}");
    }
}

/// Rules that do not compile, and a part of the message.
const REFUSED: &[(&str, &str)] = &[
    ("", "1:1: Syntax error: mismatched input '<EOF>'"),
    ("true true", "1:6: Syntax error: mismatched input 'true' expecting <EOF>"),
    ("(true", "expecting ')'"),
    ("true)", "expecting <EOF>"),
    ("true &&", "<EOF>"),
    ("a = b", "token recognition error"),
    ("true & true", "1:6: Syntax error: token recognition error"),
    ("'a", "token recognition error"),
    ("'a\nb' == 'a'", "token recognition error"),
    (r"'\q' == 'q'", "token recognition error"),
    (r"'\400' == 'x'", "token recognition error"),
    (r"'\ud800' == 'x'", "unable to unescape"),
    (r"b'\u0041' == b'A'", "unable to unescape"),
    ("rb'a' == b'a'", "mismatched input"),
    ("1.foo == 1", "field selection"),
    ("1.2.3 == 1", "mismatched input"),
    ("1e400 > 0.0", "invalid double literal"),
    ("9223372036854775808 > 0", "invalid int literal"),
    ("--9223372036854775808 > 0", "invalid int literal"),
    ("18446744073709551616u > 0u", "invalid uint literal"),
    ("-1u == 0u", "no matching overload for '-_'"),
    ("!-x", "mismatched input"),
    ("-!true", "mismatched input"),
    ("properties.in", "mismatched input"),
    ("if == 1", "reserved identifier: if"),
    ("namespace(1)", "reserved identifier: namespace"),
    ("properties[?0]", "unsupported syntax '[?'"),
    ("properties.?x", "unsupported syntax '.?'"),
    ("[?1] == []", "unsupported syntax '?'"),
    ("{?'a': 1} == {}", "unsupported syntax '?'"),
    ("{'a'} == {}", "expecting ':'"),
    ("[1,,2] == []", "mismatched input"),
    ("size('a',) == 1", "mismatched input"),
    ("Foo{a: 1} == 1", "undeclared reference to 'Foo'"),
    ("nope", "1:1: undeclared reference to 'nope'"),
    ("true &&\n  nope(1)", "2:7: undeclared reference to 'nope'"),
    ("'a'.nope()", "undeclared reference to 'nope'"),
    ("__result__", "undeclared reference to '__result__'"),
    ("properties.all(__result__, true)", "overwrites accumulator variable"),
    ("properties.all(p.q, true)", "argument must be a simple name"),
    ("properties.map(1, true).size() == 1", "argument is not an identifier"),
    ("properties.all(true)", "undeclared reference to 'all'"),
    ("has(properties)", "invalid argument to has() macro"),
    ("has(properties[0])", "invalid argument to has() macro"),
    ("properties.exists(p, p.value.exists(x, true))", "expression of type 'any' cannot be range"),
    ("'abc'.exists(c, true)", "expression of type 'string' cannot be range"),
    ("1 < 2.0", "no matching overload for '_<_' applied to '(int, double)'"),
    ("1 < 2.0 && [1].all(x, true)", "'(int, double)'"),
    ("1 == 1.0", "'_==_' applied to '(int, double)'"),
    ("1 == 'a'", "'(int, string)'"),
    ("null == 1", "'(null, int)'"),
    ("1 + 1u == 2", "'(int, uint)'"),
    ("properties[0.0].type == 'a'", "'_[_]'"),
    ("properties['a'].type == 'a'", "'_[_]'"),
    ("{'a': 1}[1] == 1", "'_[_]' applied to '(map(string, int), int)'"),
    ("1 in ['a']", "'@in' applied to '(int, list(string))'"),
    ("'a' in 'abc'", "'@in'"),
    ("size(1) == 1", "'size' applied to '(int)'"),
    ("'a'.size(1) == 1", "'size' applied to 'string.(int)'"),
    ("contains('a', 'a')", "'contains' applied to '(string, string)'"),
    ("'1.0.0'.semver_compare('1.0.0') == 0", "'semver_compare'"),
    ("semver_compare('1.0.0', '1.0.0') == 0.0", "'_==_'"),
    ("duration(1) == duration('1s')", "'duration' applied to '(int)'"),
    ("-duration('1s') == duration('1s')", "'-_'"),
    ("timestamp(0) + timestamp(0) == timestamp(0)", "'_+_'"),
    ("true ? 1 : 'a'", "'_?_:_' applied to '(bool, int, string)'"),
    ("1 ? true : false", "'_?_:_'"),
    ("1 && true", "expected type 'bool' but found 'int'"),
    ("[1].all(x, x)", "expected type 'bool' but found 'int'"),
    ("[1].filter(x, 1).size() == 1", "'_?_:_'"),
    ("'a'.b == 1", "type 'string' does not support field selection"),
    ("[].all(x, x == 1 && x == 'a')", "'_==_'"),
    ("properties", "must have type Bool"),
    ("dyn(true)", "must have type Bool"),
    ("properties[0].value", "must have type Bool"),
    ("1", "must have type Bool"),
    ("dyn({})[null] == 1", "invalid qualifier type"),
    ("dyn({})[b'a'] == 1", "invalid qualifier type"),
    ("dyn({})[int] == 1", "invalid qualifier type"),
    ("google.protobuf == 1", "undeclared reference to 'google'"),
    ("[1].all(.p, p == 1)", "undeclared reference to 'p'"),
];

#[test]
fn what_cel_go_refuses_is_refused_with_its_words() {
    for (rule, part) in REFUSED {
        match Rule::compile(rule) {
            Ok(_) => panic!("{rule} is taken"),
            Err(error) => assert!(error.to_string().contains(part), "{rule}: {error}"),
        }
    }
}

#[test]
fn depth_is_counted_as_cel_go_counts_it() {
    let nested =
        |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    // Rules that are accepted at one size and refused at the next.
    for (at_most, rule) in [
        (249, &(|n| nested("(", "true", ")", n)) as &dyn Fn(usize) -> String),
        (250, &|n| format!("0{} == 0", "+1".repeat(n - 1))),
        (250, &|n| format!("dyn(1){}.size() == 0 || true", ".a".repeat(n - 2))),
        (250, &|n| format!("dyn(1){} == 0 || true", "[0]".repeat(n - 1))),
        (249, &|n| format!("{}true", "true ? true : ".repeat(n))),
        (125, &|n| format!("{} == 0", nested("1+(", "0", ")", n - 1))),
        (250, &|n| format!("[{}] == []", nested("[", "", "]", n - 1))),
        (249, &|n| nested("!(", "true", ")", n)),
        (124, &|n| format!("{}true{}", "true == (".repeat(n), ")".repeat(n))),
    ] {
        assert!(Rule::compile(&rule(at_most)).is_ok(), "{}: {:?}", &rule(at_most)[..12], Rule::compile(&rule(at_most)));
        let error = Rule::compile(&rule(at_most + 1)).unwrap_err();
        assert!(matches!(error.kind, RuleErrorKind::Depth { .. }), "{}: {error}", &rule(at_most)[..12]);
    }
    // A part that cel-go does not count may be as long as a rule may be.
    for rule in [
        format!("true{}", " || true".repeat(12_000)),
        format!("true{}", "&&true".repeat(16_000)),
        format!("{}true", "!".repeat(90_000)),
        format!("{}1 == 1", "-".repeat(90_000)),
        format!("size([{}]) > 0", "1,".repeat(45_000)),
    ] {
        let compiled = Rule::compile(&rule).unwrap_or_else(|error| panic!("{}: {error}", &rule[..12]));
        assert_eq!(compiled.holds(&properties(), &budget(1_000_000)), Ok(Ok(true)));
    }
    assert!(matches!(Rule::compile(&" ".repeat(100_001)).unwrap_err().kind, RuleErrorKind::Size { .. }));
    for rule in ["[", "{", "(", "a.", "a[", "a?", "!(", "1+(", "[1].map(x,"] {
        assert!(Rule::compile(&rule.repeat(90_000 / rule.len())).is_err(), "{rule}…");
    }
}

/// A thread has 2 MiB; without optimisation, the worst of these needs 800 kB.
#[test]
fn the_deepest_rules_leave_half_of_a_stack() {
    let nested =
        |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    let rules = [
        nested("!(", "true", ")", 249),
        nested("[", "1", "][0]", 200) + " == 1",
        nested("true == (", "true", ")", 124),
        nested("[1].all(x, ", "true", ")", 120),
        nested("true ? true : ", "true", "", 240),
    ];
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
        for rule in rules {
            let compiled = Rule::compile(&rule).unwrap();
            assert!(compiled.holds(&properties(), &budget(1_000_000)).unwrap().is_ok(), "{}", &rule[..12]);
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn types_that_grow_are_bounded() {
    // Each doubles the type before it, or nests it once more.
    let doubled = format!("properties{}.size() == 0", ".map(x, {'a': [x, x], 'b': [x]})".repeat(60));
    let nested = format!("properties{}.size() == 4", ".map(x, [[[[[[[[x]]]]]]]])".repeat(100));
    let keys = format!("properties{}.size() == 0", ".map(x, {x: x})".repeat(100));
    for rule in [doubled, nested, keys] {
        // The answer does not matter here, but it must come soon.
        if let Ok(rule) = Rule::compile(&rule) {
            let _ = rule.holds(&properties(), &budget(1_000_000));
        }
    }
    // Values may be of any depth, and are dropped without recursion.
    let deep = Value::properties([("a", format!("{}{}", "[".repeat(9_000), "]".repeat(9_000)).as_str())].into_iter());
    let rule = Rule::compile("properties.map(p, [p]).map(p, [p]) == properties.map(p, [p]).map(p, [p])").unwrap();
    assert_eq!(rule.holds(&deep, &budget(1_000_000)), Ok(Ok(true)));
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
        assert!(rule.holds(&many, &budget(3_000_000)).is_err());
    }
}

/// Finding S2: lists in lists of 80 properties took 6.8 GB within the steps that a rule may take.
#[test]
fn what_a_rule_makes_is_counted() {
    let properties = Value::properties((0..80).map(|_| ("x", "\"0123456789012345678901234567890123456789\"")));
    for rule in [
        "properties.map(a, properties.map(b, properties.map(c, properties.map(d, [a, b, c, d])))).size() > 0",
        "properties.map(a, properties.map(b, properties.map(c, {a.type: [b], 1: c}))).size() > 0",
        "properties.map(a, properties.map(b, properties.map(c, properties.filter(d, true)))).size() > 0",
        "properties.map(a, properties.map(b, properties.map(c, a.value + b.value + c.value))).size() > 0",
        "properties.map(a, properties.map(b, properties.map(c, bytes(a.value + b.value)))).size() > 0",
        "properties.map(a, properties.map(b, properties.map(c, properties + properties))).size() > 0",
    ] {
        let rule = Rule::compile(rule).unwrap();
        let budget = budget(100_000_000);
        assert!(matches!(rule.holds(&properties, &budget), Err(Exhausted::Bytes { .. })));
        // The values are gone, and the next rule may make as many.
        let next = Rule::compile("properties.map(p, [p, p]).size() == 80").unwrap();
        assert_eq!(next.holds(&properties, &budget), Ok(Ok(true)));
    }
}

/// Each of 1,000 items makes a text of 40,000 bytes; 16 MiB are allowed.
#[test]
fn what_an_item_makes_is_counted_until_the_next() {
    let text = format!("\"{}\"", "x".repeat(20_000));
    let text = Value::properties(std::iter::repeat_n(("a", text.as_str()), 1000));
    for (rule, is_dropped) in [
        ("properties.all(p, (p.value + p.value).size() == 40000)", true),
        ("!properties.exists(p, p.value + p.value == '')", true),
        ("!properties.exists_one(p, p.value + p.value == '')", true),
        ("properties.all(p, properties.exists(q, q.value + p.value != ''))", true),
        ("properties.map(p, p.value + p.value).size() == 1000", false),
        ("properties.all(p, int(p.value + p.value) == 1)", true),
        ("properties.exists(p, [p].map(q, int(q.value + q.value)) == [1]) || true", true),
        ("properties.map(p, properties.all(q, int(q.value + p.value) == 1) || true).size() == 1000", false),
        ("properties.all(p, 'a'.matches(p.value + string(p.value.size())) || true)", true),
    ] {
        let budget = budget(100_000_000);
        let answer = Rule::compile(rule).unwrap().holds(&text, &budget);
        assert_eq!(answer.is_ok(), is_dropped, "{rule}: {answer:?}");
        assert_eq!(budget.keep(100_000_000 / 6), Ok(()), "{rule}: something was not given back");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_it_panic(text in "[a-z0-9'\"(){}\\[\\].,?:!&|<>=+*/% -]{0,60}") {
        if let Ok(rule) = Rule::compile(&text) {
            let _ = rule.holds(&properties(), &budget(100_000));
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
            let _ = rule.holds(&properties(), &budget(100_000));
        }
    }
}
