//! Choosing findings: the options that every command with findings has, joined with `olmdex.toml`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::check::pipeline;
use crate::check::practice::{self, Profile};
use crate::cli::args::composition;
use crate::cli::lists::all_rules;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::cli::terminal::interrupt;
use crate::compose::{BaselineError, BaselineFile, Choice, Chosen, Config, ConfigError, Hidden};
use crate::diag::selection::{Layer, Level, Selection, UnknownRule, check_word};
use crate::diag::{Finding, Rule};
use crate::version::first_of;

/// The heading above these options in the help.
pub(crate) const HEADING: &str = "Choosing findings";

/// The choice of findings.
#[derive(Debug, Clone, Args)]
pub(crate) struct ChoiceOptions {
    /// Show only these rules: `W0805`, `stranded-version`, `W08` for all that start with it, `ALL`
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = parse_rule, help_heading = HEADING)]
    select: Vec<String>,
    /// Hide these rules; the most specific word counts
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = parse_rule, help_heading = HEADING)]
    ignore: Vec<String>,
    /// Give rules another severity: `error`, `warning` or `off`
    #[arg(long, value_name = "RULE=LEVEL,…", value_delimiter = ',', value_parser = parse_severity, help_heading = HEADING)]
    severity: Vec<(String, Level)>,
    /// Treat warnings as errors
    #[arg(long, help_heading = HEADING)]
    strict: bool,
    /// Hide the findings in this file, and print their number
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    baseline: Option<PathBuf>,
    /// Write the findings of this run to the baseline that `--baseline` or olmdex.toml names
    #[arg(long, help_heading = HEADING)]
    write_baseline: bool,
    /// Show each finding, not only the first few of many alike
    #[arg(long, help_heading = HEADING)]
    pub(crate) all: bool,
    /// Read options from this file; by default, from olmdex.toml in the current directory or the nearest one above it
    #[arg(long, value_name = "FILE", conflicts_with = "no_config", help_heading = HEADING)]
    config: Option<PathBuf>,
    /// Read no olmdex.toml
    #[arg(long, help_heading = HEADING)]
    no_config: bool,
}

/// Whether the baseline of `olmdex.toml` applies: it does if a catalog is checked as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    Catalogs,
    Other,
}

fn parse_rule(text: &str) -> Result<String, String> {
    check_word(&all_rules(), text).map_err(|error| in_words(&error))?;
    Ok(text.to_owned())
}

fn parse_severity(text: &str) -> Result<(String, Level), String> {
    let (rule, level) = text.split_once('=').ok_or("write it as RULE=LEVEL")?;
    let level = match level {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "note" => Level::Note,
        "off" => Level::Off,
        other => return Err(format!("`{other}` is not `error`, `warning`, `note` or `off`")),
    };
    Ok((parse_rule(rule)?, level))
}

/// The names of profiles.
pub(crate) fn profiles() -> impl TypedValueParser<Value = Profile> {
    let names = PossibleValuesParser::new(Profile::ALL.map(|it| PossibleValue::new(it.name()).help(it.about())));
    names.try_map(|it| Profile::find(&it).ok_or("no such profile"))
}

fn in_words(error: &UnknownRule) -> String {
    format!("{error}; {}", error.help())
}

impl ChoiceOptions {
    /// Whether an option chooses anything.
    pub(crate) fn is_given(&self) -> bool {
        let given = [
            !self.select.is_empty(),
            !self.ignore.is_empty(),
            !self.severity.is_empty(),
            self.strict,
            self.baseline.is_some(),
            self.write_baseline,
            self.config.is_some(),
        ];
        given.contains(&true)
    }

    /// Another tool's answers are not ours to choose from.
    pub(crate) fn refuse_with_compat(&self) -> Result<(), CommandError> {
        if self.is_given() {
            let error = CommandError::usage("`--as opm` prints what opm prints: you cannot choose its findings");
            return Err(error.help("leave out `--as`, or the options about findings"));
        }
        Ok(())
    }

    /// The file of options, if there is one: the named one, else the one in or above the current directory.
    pub(crate) fn config(&self, context: &Context, sources: &[PathBuf]) -> Result<Option<Config>, CommandError> {
        if self.no_config {
            return Ok(None);
        }
        composition::config(context, self.config.as_deref(), sources)
    }

    /// The choice of findings by these options and those of the file.
    pub(crate) fn choice(
        &self,
        context: &Context,
        config: Option<&Config>,
        whole: Whole,
    ) -> Result<Choice, CommandError> {
        let profiles = config.map(|it| it.profiles.clone()).unwrap_or_default();
        self.choice_with(context, config, whole, (&profiles, &[]))
    }

    /// As [`Self::choice`], by the rules of these profiles, and those that a command always has.
    pub(crate) fn choice_with(
        &self,
        context: &Context,
        config: Option<&Config>,
        whole: Whole,
        (profiles, always): (&[Profile], &[&'static Rule]),
    ) -> Result<Choice, CommandError> {
        let line = Layer { select: self.select.clone(), ignore: self.ignore.clone(), severity: self.severity.clone() };
        let mut layers = vec![line];
        let mut names = vec!["the command line".to_owned()];
        if let Some(config) = config {
            layers.push(config.layer.clone());
            names.push(config.path.display().to_string());
        }
        let mut selection = Selection::new(&all_rules(), &layers)
            .map_err(|error| CommandError::usage(error.to_string()).help(error.help()))?;
        let on: Vec<&'static Rule> =
            profiles.iter().flat_map(|profile| profile.rules()).chain(always).copied().collect();
        selection.off_by_default(&[practice::rules::ALL, pipeline::rules::ALL].concat(), &on, &layers);
        let of_config = match config.filter(|_| whole == Whole::Catalogs && self.baseline.is_none()) {
            Some(config) => config.baseline()?,
            None => None,
        };
        let path = self.baseline.as_deref().or(of_config);
        let mut choice = Choice {
            selection,
            layers: names,
            strict: self.strict || config.is_some_and(|it| it.strict),
            ..Choice::default()
        };
        match path {
            None if self.write_baseline => {
                let error = CommandError::usage("`--write-baseline` needs a file");
                return Err(error.help("name it with `--baseline FILE`, or as `baseline` in olmdex.toml"));
            }
            Some(path) if self.write_baseline => {
                interrupt::undo_writes(context);
                choice.write_to = Some(path.to_owned());
            }
            Some(path) => choice.baseline = Some(BaselineFile::read(path)?),
            None => {}
        }
        Ok(choice)
    }

    /// As [`Self::choice`], with the file that goes with these sources.
    pub(crate) fn open(&self, context: &Context, sources: &[PathBuf], whole: Whole) -> Result<Choice, CommandError> {
        self.choice(context, self.config(context, sources)?.as_ref(), whole)
    }
}

/// Reports the hidden findings, the known findings that are gone, and the written baseline.
pub(crate) fn report(context: &Context, choice: &Choice, chosen: &Chosen) {
    if let Some(path) = &choice.write_to {
        context.reporter.note(&format!("wrote {}", path.display()));
    }
    for Hidden { by, tally } in &chosen.hidden {
        context.reporter.note(&format!("hidden by {by}: {tally}"));
    }
    if chosen.n_gone > 0 {
        let n = crate::diag::counted(chosen.n_gone, "finding");
        context.reporter.note(&format!("{n} of the baseline fixed: `--write-baseline` removes them from the file"));
    }
}

/// Reports the packages that hidden findings kept from being checked, and how to see those findings. Returns whether
/// there are any: a check that did not run is no success.
pub(crate) fn report_unchecked<'f>(
    context: &Context,
    unseen: impl Iterator<Item = &'f Finding>,
    help: impl Fn(&str) -> String,
) -> bool {
    let (mut rules, mut packages) = (BTreeSet::new(), BTreeSet::new());
    for finding in unseen {
        rules.insert(finding.rule.id);
        packages.insert(finding.package.as_deref().unwrap_or_default());
    }
    if rules.is_empty() {
        return false;
    }
    // A finding without a package may concern any package.
    let is_part_unread = packages.remove("");
    let names = packages.iter().map(|it| format!("`{it}`"));
    let mut what = match packages.len() {
        0 => "unreadable documents were not checked".to_owned(),
        1 => format!("package {} could not be checked", first_of(names, 1)),
        n => format!("{n} packages could not be checked: {}", first_of(names, n)),
    };
    if is_part_unread && !packages.is_empty() {
        what.push_str(", and unreadable documents were not checked");
    }
    let rules = rules.into_iter().collect::<Vec<_>>().join(",");
    context.reporter.error(&CommandError::new(Exit::No, what).help(help(&rules)));
    true
}

/// How to see findings that options hide.
pub(crate) fn select_help(rules: &str) -> String {
    format!("`--select {rules}` shows the findings")
}

impl From<ConfigError> for CommandError {
    /// The configuration file counts as part of the command line, so an error in it is an error of usage.
    fn from(error: ConfigError) -> Self {
        let exit = if matches!(error, ConfigError::Io { .. }) { Exit::Input } else { Exit::Usage };
        Self::new(exit, error.to_string()).with_help(error.help())
    }
}

impl From<BaselineError> for CommandError {
    fn from(error: BaselineError) -> Self {
        match error {
            BaselineError::Write(error) => error.into(),
            error => Self::new(Exit::Input, error.to_string()).with_help(error.help()),
        }
    }
}
