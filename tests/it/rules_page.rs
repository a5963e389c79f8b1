//! The page of all rules, which findings in SARIF link to.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::fmt::Write as _;
use std::path::Path;

use crate::support::recording::expect_recorded;
use olmdex::check::practice::Profile;
use olmdex::cli::all_rules;
use olmdex::diag::Rule;

#[test]
fn the_page_of_rules_says_what_the_program_says() {
    let mut text = "\
# Rules

Every rule that `olmdex` applies, as `olmdex explain RULE` prints it. Made from the rules by `tests/it/rules_page.rs`; do not edit.

`E…`: the real tools refuse what breaks the rule. `W…`: they accept it, and something will not work.
"
    .to_owned();
    text.push_str("\nRules of good practice are off unless they are selected, or chosen by a pipeline (`check --pipeline NAME`, or `profile` in olmdex.toml):\n\n| pipeline | for | rules |\n|---|---|---|\n");
    for profile in Profile::ALL {
        let ids: Vec<&str> = profile.rules().iter().map(|it| it.id).collect();
        writeln!(text, "| `{}` | {} | {} |", profile.name(), profile.about(), ids.join(", ")).unwrap();
    }
    let mut rules = all_rules();
    rules.sort_by_key(|it| it.id);
    for Rule { id, name, summary, explanation, example, .. } in &rules {
        write!(text, "\n## {id} {name}\n\n{summary}\n\n{explanation}\n\n```\n{example}\n```\n").unwrap();
    }
    expect_recorded("rules_page", &[(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md"), text)]);
}

#[test]
fn each_rule_links_to_its_heading() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md")).unwrap();
    for rule in all_rules() {
        let anchor = format!("{}-{}", rule.id.to_lowercase(), rule.name);
        assert!(rule.help_uri().ends_with(&format!("/docs/rules.md#{anchor}")), "{}", rule.help_uri());
        let heading = format!("\n## {} {}\n", rule.id, rule.name);
        assert!(page.contains(&heading), "{heading}");
        // A heading's anchor has small letters, digits and hyphens; blanks become hyphens.
        assert_eq!(heading.trim_start_matches("\n## ").trim_end().to_lowercase().replace(' ', "-"), anchor);
    }
}
