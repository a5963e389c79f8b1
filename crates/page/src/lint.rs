//! The checks of a catalog: what opm refuses, where users get stuck, and what else is wrong, rule by rule.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::channel::found;
use super::parts::{badge, capitalized, link, shown, table, worded};
use super::reply::PageError;
use super::route::{Checked, Route, RuleChecked};
use super::site::{Page, PageContext};
use olmdex_ask::CommandLine;
use olmdex_base::diag::{Finding, Rule, Severity, Tally, counted};
use olmdex_olm::upgrade::rules as upgrades;
use olmdex_rules::check;
use olmdex_version::by_numbers;

/// The consequence of a broken rule for those who use the catalog, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Consequence {
    Refused,
    Stuck,
    Surprising,
    Untidy,
}

impl Consequence {
    const ALL: [Self; 4] = [Self::Refused, Self::Stuck, Self::Surprising, Self::Untidy];

    fn of(rule: &Rule) -> Self {
        const STUCK: [&Rule; 4] = [upgrades::NO_ORDER, upgrades::STRANDED, upgrades::OUTSIDE_DEFAULT, upgrades::LOST];
        const SURPRISING: [&Rule; 4] =
            [upgrades::CIRCLE, upgrades::DEAD_ENTRY, upgrades::RANGE_BEYOND, upgrades::DEFAULT_BEHIND];
        let is_in = |rules: &[&Rule]| rules.iter().any(|it| it.id == rule.id);
        match rule.severity {
            Severity::Error => Self::Refused,
            _ if is_in(&STUCK) => Self::Stuck,
            _ if is_in(&SURPRISING) => Self::Surprising,
            _ => Self::Untidy,
        }
    }

    /// The class of its badge, the words in it, and those after a number.
    fn look(self) -> [&'static str; 3] {
        match self {
            Self::Refused => ["bad", "opm refuses it", "that opm refuses"],
            Self::Stuck => ["bad", "users get stuck", "places where users get stuck"],
            Self::Surprising => ["warn", "OLM may surprise", "where OLM may surprise"],
            Self::Untidy => ["", "untidy", "untidy"],
        }
    }

    fn words(self) -> &'static str {
        self.look()[1]
    }

    fn badge(self) -> Markup {
        badge(self.look()[0], self.words())
    }
}

/// The rules that a catalog is checked by for a page.
fn rules() -> Vec<&'static Rule> {
    let mut rules = [check::all_rules().as_slice(), upgrades::ALL].concat();
    rules.sort_by_key(|rule| rule.id);
    rules.dedup_by_key(|rule| rule.id);
    rules
}

/// The answer as data: the findings of `validate` and `check-graph` about a package, about a catalog, or about all.
pub(super) fn listed(context: PageContext<'_>, checked: &Checked) -> Result<Vec<Finding>, PageError> {
    let of = |catalog: &str| {
        let checks = context.cache().checks(context.index(), catalog)?;
        Ok::<_, PageError>(checks.findings().cloned().collect::<Vec<_>>())
    };
    match (&checked.catalog, &checked.package) {
        (named, Some(package)) => {
            let catalog = of_package(context, named.as_ref(), package)?;
            let mut findings = context.cache().findings_of_package(context.index(), &catalog, package)?;
            findings.extend_from_slice(&context.cache().upgrade_findings(context.index(), &catalog, package)?);
            Ok(findings)
        }
        (Some(_), None) => of(&chosen(context, checked.catalog.as_ref())?),
        (None, None) => Ok(context.catalogs().map(of).collect::<Result<Vec<_>, _>>()?.concat()),
    }
}

fn chosen(context: PageContext<'_>, named: Option<&String>) -> Result<String, PageError> {
    let having: Vec<String> = context.catalogs().map(str::to_owned).collect();
    context.choose(named, &having, || PageError::Failed("the index has no catalog".to_owned()))
}

/// The catalog of a page about a package.
fn of_package(context: PageContext<'_>, named: Option<&String>, package: &str) -> Result<String, PageError> {
    let having = context.index().catalogs_of_package(package)?;
    context.choose(named, &having, || context.unknown_package(package))
}

/// The commands with the same answer.
fn commands(context: PageContext<'_>, catalog: &str, package: Option<&str>) -> Vec<CommandLine> {
    let graphs = CommandLine::of("check-graph").names(package).flag("--all", package.is_none());
    let choice = context.catalog_choice(catalog);
    vec![CommandLine::of_sources("validate", 1), graphs.option("--catalog", choice.as_ref())]
}

fn page_of_package(context: PageContext<'_>, named: Option<&String>, package: &str) -> Result<Page, PageError> {
    let catalog = of_package(context, named, package)?;
    let mut findings = context.cache().findings_of_package(context.index(), &catalog, package)?;
    let of_upgrades = context.cache().upgrade_findings(context.index(), &catalog, package);
    if let Ok(found) = &of_upgrades {
        findings.extend(found.iter().cloned());
    }
    findings.sort_by_cached_key(|finding| {
        (Consequence::of(finding.rule), finding.rule.id, std::cmp::Reverse(by_numbers(&finding.message)))
    });
    let tally = Tally::of(&findings);
    let body = html! {
        h1 { "Checks of " (shown(package)) }
        p.lead { (counted(tally.errors as u64, "error")) ", " (counted(tally.warnings as u64, "warning")) " in catalog " (shown(&catalog)) "." }
        @if let Err(PageError::TooLarge(why)) = &of_upgrades { p { (why) ": its upgrades are not checked." } }
        (found(context, &findings))
        p { (link(context, &Route::package_of(package), "The package")) ", "
            (link(context, &Route::Lint(Checked { catalog: Some(catalog.clone()), package: None }), "all checks of the catalog")) }
    };
    let commands = commands(context, &catalog, Some(package));
    Ok(Page { commands, is_data: true, ..Page::new(format!("Checks of {package}"), body) })
}

pub(super) fn page(context: PageContext<'_>, checked: &Checked) -> Result<Page, PageError> {
    let named = checked.catalog.as_ref();
    if let Some(package) = &checked.package {
        return page_of_package(context, named, package);
    }
    let catalog = chosen(context, named)?;
    let checks = context.cache().checks(context.index(), &catalog)?;
    let findings: Vec<&Finding> = checks.findings().collect();
    let body = html! {
        h1 { "Checks of " (shown(&catalog)) }
        (tabs(context, &catalog))
        (verdict(&findings))
        (counters(&findings))
        @if !checks.unchecked.is_empty() {
            p { "These packages are too large or not readable, so their upgrades are not checked here; " code { "olmdex check --only graph" }
                " says more: "
                (checks.unchecked.iter().map(|it| shown(it)).collect::<Vec<_>>().join(", ")) "." }
        }
        (by_rule(context, &catalog, &findings))
        (without_page(context, &findings))
        p.quiet { "These are the rules of opm and of upgrade graphs. " code { "olmdex check" } " also has the rules of good practice." }
    };
    let commands = commands(context, &catalog, None);
    Ok(Page { commands, is_data: true, ..Page::new(format!("Checks of {catalog}"), body) })
}

/// The number of packages with findings of a consequence.
fn n_packages(findings: &[&Finding], consequence: Consequence) -> u64 {
    let mut names: Vec<_> =
        findings.iter().filter(|it| Consequence::of(it.rule) == consequence).map(|it| &it.package).collect();
    names.sort();
    names.dedup();
    names.len() as u64
}

/// One sentence on the catalog.
fn verdict(findings: &[&Finding]) -> Markup {
    let has = |consequence| findings.iter().any(|it| Consequence::of(it.rule) == consequence);
    let users_of = |consequence| {
        let n = n_packages(findings, consequence);
        format!("users of {}", counted(n, "package"))
    };
    let (class, words) = match Consequence::ALL.into_iter().find(|it| has(*it)) {
        Some(Consequence::Refused) => ("note bad", "opm refuses the catalog: it has errors.".to_owned()),
        Some(Consequence::Stuck) => {
            ("note warn", format!("The catalog is valid, but {} can get stuck.", users_of(Consequence::Stuck)))
        }
        Some(Consequence::Surprising) => {
            ("note warn", format!("The catalog is valid, but OLM may surprise {}.", users_of(Consequence::Surprising)))
        }
        Some(Consequence::Untidy) => ("note good", "The catalog is valid, and nobody gets stuck.".to_owned()),
        None => ("note good", "The catalog is valid, and the checks find nothing.".to_owned()),
    };
    html! { div class=(class) { p { strong { (words) } } } }
}

fn counters(findings: &[&Finding]) -> Markup {
    html! {
        ul.counters {
            @for consequence in Consequence::ALL {
                @let n = findings.iter().filter(|it| Consequence::of(it.rule) == consequence).count();
                li { strong.large { (n) } span.quiet { " " (consequence.look()[2]) } }
            }
        }
    }
}

/// How many packages a rule names before the others are hidden.
const NAMED: usize = 8;

/// The broken rules, the worst first, each with the packages that break it.
fn by_rule(context: PageContext<'_>, catalog: &str, findings: &[&Finding]) -> Markup {
    let mut rules: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        rules.entry(finding.rule.id).or_default().push(finding);
    }
    let mut rules: Vec<(&'static Rule, Vec<&Finding>)> =
        rules.into_values().filter_map(|findings| Some((findings.first()?.rule, findings))).collect();
    rules.sort_by_key(|(rule, findings)| (Consequence::of(rule), std::cmp::Reverse(findings.len()), rule.id));
    html! {
        @for (rule, findings) in &rules {
            @let consequence = Consequence::of(rule);
            section.rule {
                h2 { (findings.len()) " × " (title(rule)) " " (consequence.badge()) }
                p { (worded(rule.explanation)) }
                (packages_of_rule(context, catalog, &packages_with(findings)))
                @let here = RuleChecked { catalog: context.catalog_choice(catalog), ..RuleChecked::of(rule.id) };
                p { (link(context, &Route::Rule(if context.is_served() { here } else { RuleChecked::of(rule.id) }), html! { code { (rule.id) } " with an example" })) }
            }
        }
    }
}

/// The findings that no page of a package has: those about no package, and in files all.
fn without_page(context: PageContext<'_>, findings: &[&Finding]) -> Markup {
    let mut listed: Vec<Finding> =
        findings.iter().filter(|it| !context.is_served() || it.package.is_none()).map(|it| (*it).clone()).collect();
    listed.sort_by(|a, b| a.package.cmp(&b.package));
    html! {
        @for group in listed.chunk_by(|a, b| a.package == b.package) {
            details {
                summary { strong { (group.first().and_then(|it| it.package.as_deref()).map_or("The whole catalog".to_owned(), shown)) }
                    " " span.quiet { (counted(group.len() as u64, "finding")) } }
                (found(context, group))
            }
        }
    }
}

fn tabs(context: PageContext<'_>, catalog: &str) -> Markup {
    let mut names: Vec<&str> = context.catalogs().collect();
    names.sort_by_key(|it| by_numbers(it));
    html! {
        @if names.len() > 1 {
            nav.tabs aria-label="Catalogs" {
                @for name in &names {
                    @if let Some(address) = context.to(&Route::Lint(Checked { catalog: Some((*name).to_owned()), package: None })) {
                        a href=(address) aria-current=[(*name == catalog).then_some("page")] { (shown(name)) }
                    }
                }
            }
        }
    }
}

/// The name of a rule as a title.
fn title(rule: &Rule) -> String {
    const SHORT_FORMS: [&str; 7] = ["api", "cel", "crd", "csv", "json", "utf16", "yaml"];
    let cased = |word: &str| if SHORT_FORMS.contains(&word) { word.to_ascii_uppercase() } else { word.to_owned() };
    capitalized(&rule.name.split('-').map(cased).collect::<Vec<_>>().join(" "))
}

/// All rules: those with findings, the worst first, and the others by the consequence of breaking them.
pub(super) fn rules_page(context: PageContext<'_>) -> Result<Page, PageError> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for catalog in context.catalogs() {
        for finding in context.cache().checks(context.index(), catalog)?.findings() {
            *counts.entry(finding.rule.id).or_default() += 1;
        }
    }
    let rules = rules();
    let (mut broken, kept): (Vec<&Rule>, Vec<&Rule>) = rules.into_iter().partition(|rule| counts.contains_key(rule.id));
    let count = |rule: &Rule| counts.get(rule.id).copied().unwrap_or_default();
    broken.sort_by_key(|rule| (Consequence::of(rule), std::cmp::Reverse(count(rule)), rule.id));
    let name = |rule: &Rule| {
        let title = link(context, &Route::Rule(RuleChecked::of(rule.id)), title(rule));
        html! { th scope="row" { (title) " " code.quiet { (rule.id) } } td.whole { (worded(rule.summary)) } }
    };
    let rows = html! { @for rule in &broken { tr {
        (name(rule))
        td { (Consequence::of(rule).badge()) }
        td.amount { (counted(count(rule), "finding")) }
    } } };
    let body = html! {
        h1 { "Rules" }
        p.lead { (counted((broken.len() + kept.len()) as u64, "rule")) ". " (match broken.len() {
            0 => "No catalog here breaks one.".to_owned(),
            n => format!("{n} {} findings here.", if n == 1 { "has" } else { "have" }),
        }) }
        @if !broken.is_empty() {
            h2 { "With findings" }
            (table("Rules with findings", &["Rule", "It holds if", "If not", "#Findings"], rows))
        }
        @for consequence in Consequence::ALL {
            @let others: Vec<&&Rule> = kept.iter().filter(|rule| Consequence::of(rule) == consequence).collect();
            @if !others.is_empty() { details {
                summary { strong { "If not: " (consequence.words()) } " " span.quiet { (counted(others.len() as u64, "rule")) " without a finding" } }
                (table(&format!("Rules without a finding; if not: {}", consequence.words()), &["Rule", "It holds if"],
                    html! { @for rule in &others { tr { (name(rule)) } } }))
            } }
        }
    };
    Ok(Page::new("Rules".to_owned(), body))
}

/// One rule: the text of `explain`.
pub(super) fn rule_page(context: PageContext<'_>, asked: &RuleChecked) -> Result<Page, PageError> {
    let id = asked.rule.as_str();
    let rule = rules().into_iter().find(|rule| rule.id == id).ok_or(PageError::NoPage)?;
    let consequence = Consequence::of(rule);
    let body = html! {
        h1 { (title(rule)) }
        p.quiet { code { (rule.id) } " " (consequence.badge()) }
        p.lead { "Must hold: " (worded(rule.summary)) }
        p { (worded(rule.explanation)) }
        @if !rule.example.is_empty() {
            h2 { "Example" }
            pre tabindex="0" { code { (rule.example) } }
        }
        @if let Ok(section) = where_broken(context, rule, asked.catalog.as_ref()) { (section) }
        p.quiet { code { "olmdex explain " (rule.id) } " prints the rule." }
    };
    Ok(Page::new(format!("{id}: {}", title(rule)), body))
}

/// The packages that break a rule in the preferred catalog, and the first finding with its remedy.
fn where_broken(context: PageContext<'_>, rule: &Rule, named: Option<&String>) -> Result<Markup, PageError> {
    let catalog = chosen(context, named)?;
    let checks = context.cache().checks(context.index(), &catalog)?;
    let broken: Vec<&Finding> = checks.findings().filter(|finding| finding.rule.id == rule.id).collect();
    let of_catalog = Checked { catalog: context.catalog_choice(&catalog), package: None };
    let checks = link(context, &Route::Lint(of_catalog), "All checks of the catalog");
    Ok(html! {
        h2 { "In " (shown(&catalog)) }
        @match broken.first() {
            None => { p { "Nothing breaks this rule. " (checks) } }
            Some(first) => {
                (packages_of_rule(context, &catalog, &packages_with(&broken)))
                p { (counted(broken.len() as u64, "finding")) ", the first of which is:" }
                (found(context, std::slice::from_ref(*first)))
                p { (checks) }
            }
        }
    })
}

/// The packages of findings, each with their number, those with the most first.
fn packages_with<'f>(findings: &[&'f Finding]) -> Vec<(&'f str, u64)> {
    let mut packages: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in findings {
        *packages.entry(finding.package.as_deref().unwrap_or_default()).or_default() += 1;
    }
    let mut packages: Vec<(&str, u64)> = packages.into_iter().collect();
    packages.sort_by_key(|package| std::cmp::Reverse(package.1));
    packages
}

/// Links to the findings of packages about a rule; most are folded.
fn packages_of_rule(context: PageContext<'_>, catalog: &str, packages: &[(&str, u64)]) -> Markup {
    let (first, others) = packages.split_at(packages.len().min(NAMED));
    let chip = |(package, n): &(&str, u64)| {
        let checked = Checked { catalog: Some(catalog.to_owned()), package: Some((*package).to_owned()) };
        html! { li {
            @if package.is_empty() { "the whole catalog" } @else { (link(context, &Route::Lint(checked), shown(package))) }
            @if *n > 1 { " " span.quiet { (n) } }
        } }
    };
    html! {
        ul.chosen { @for package in first { (chip(package)) } }
        @if !others.is_empty() {
            details { summary { (counted(others.len() as u64, "more package")) } ul.chosen { @for package in others { (chip(package)) } } }
        }
    }
}
