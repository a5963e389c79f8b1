//! The catalogs and the cluster that `updates`, `path` and `why-not` ask, and words that their answers share.

use std::path::PathBuf;

use clap::Args;

use crate::ask::{Answer, AskError, Question, State, Verdict, minor, states_for};
use crate::cli::args::cluster::{Asked, named_cluster};
use crate::cli::args::formats::{AnswerOptions, OutputFormat};
use crate::cli::args::name::{of_each, refuse_path};
use crate::cli::args::part::with_documents;
use crate::cli::args::source_map::SourceMapOption;
use crate::cli::args::sources::SourceOptions;
use crate::cli::print::answers::{print_answers, print_more};
use crate::cli::print::sheet::Sheet;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::constraint::openshift::Minor;
use crate::index::Index;
use crate::namespace::NamespaceState;
use crate::upgrade::{InstalledBundle, Permit, Target};

/// The catalogs and the cluster of questions about upgrades, and the layout of their answers.
#[derive(Debug, Clone, Args)]
pub(crate) struct AskedOptions {
    /// More of them. Those that exist are answered, the others are errors, and the exit code is 4
    #[arg(id = "more", value_name = "PKG[@VERSION|/CHANNEL]", conflicts_with = "installed", hide = true)]
    more: Vec<String>,
    /// Manifests of a cluster, as `kubectl get -o yaml` or a must-gather has them: a file, a directory or `-`; or `@`
    /// and a context, which `oc` or `kubectl` read; may be repeated. Package, channel, version range, policy and the
    /// installed bundle come from its Subscriptions and ClusterExtensions, unless they are given
    #[arg(long, value_name = "FILE|DIR|-|@CONTEXT", alias = "extension")]
    cluster: Vec<PathBuf>,
    #[command(flatten)]
    source_map: SourceMapOption,
    #[command(flatten)]
    sources: SourceOptions,
    #[command(flatten)]
    answer: AnswerOptions,
}

impl AskedOptions {
    /// A question about each name; `name` gives it another one.
    pub(crate) fn questions<Q: Clone>(&self, first: &Q, name: impl Fn(&mut Q, String)) -> Vec<Q> {
        named_alike(first, &self.more, name)
    }

    /// Asks questions, and prints their answers; the texts are for people.
    pub(crate) fn ask<Q: Question<Index = Index>>(
        &self,
        context: &Context,
        questions: &[Q],
        catalogs: &[String],
        sheet: impl Fn(&Q::Item) -> Sheet,
    ) -> CommandResult {
        self.ask_and(context, questions, catalogs, sheet, |_, _| Ok(Default::default()))
    }

    /// The same. For people, what `more` finds out about the items comes before the answers, and after them.
    pub(crate) fn ask_and<Q: Question<Index = Index>>(
        &self,
        context: &Context,
        questions: &[Q],
        catalogs: &[String],
        sheet: impl Fn(&Q::Item) -> Sheet,
        more: impl FnOnce(&State<'_>, &[Q::Item]) -> Result<[Vec<Sheet>; 2], CommandError>,
    ) -> CommandResult {
        questions.iter().try_for_each(Q::check)?;
        let cluster = named_cluster(context, &self.cluster, Asked::Operators)?;
        let sources = self.sources.of_catalogs(catalogs);
        let answered = |index: &Index, namespaces: &[NamespaceState]| -> CommandResult {
            let state = State { namespaces, ..self.source_map.state(index, &sources, cluster.as_ref()) };
            let (items, end) = answers(context, questions, |question| {
                question.names().into_iter().try_for_each(|name| refuse_path(index, name))?;
                told(context, question.ask(&state))
            })?;
            let is_for_people = self.answer.output == OutputFormat::Table;
            let [before, after] = if is_for_people { more(&state, &items)? } else { Default::default() };
            print_more(&before, true)?;
            print_answers(self.answer, Q::KIND, items, sheet)?;
            print_more(&after, false)?;
            end
        };
        let names: Vec<String> = questions.iter().flat_map(Q::names).cloned().collect();
        if cluster.is_none() {
            return answered(&sources.open_part(context, &names)?, &[]);
        }
        // The namespace decides, so all that its operators may need counts, and not only the package of the question.
        let index = sources.open_followed(context)?;
        let state = self.source_map.state(&*index, &sources, cluster.as_ref());
        let namespaces = states_for(questions, &state, catalogs)?;
        with_documents(&index, context, &sources, &names, |index| answered(index, &namespaces))
    }
}

/// A question about each name; `name` gives it another one than its first.
pub(crate) fn named_alike<Q: Clone>(first: &Q, more: &[String], name: impl Fn(&mut Q, String)) -> Vec<Q> {
    let mut all = vec![first.clone(); more.len() + 1];
    for (question, text) in all.iter_mut().skip(1).zip(more) {
        name(question, text.clone());
    }
    all
}

/// The items of all answers, and how a command ends that has printed them.
pub(crate) fn answers<Q: Question>(
    context: &Context,
    questions: &[Q],
    mut ask: impl FnMut(&Q) -> Result<Answer<Q::Item>, CommandError>,
) -> Result<(Vec<Q::Item>, CommandResult), CommandError> {
    let mut part = None;
    let (items, worst) = of_each(context, questions, |question| {
        let answer = ask(question)?;
        let end = ended(context, answer.verdict).unwrap_or_else(|error| {
            let exit = error.exit;
            part = Some(error);
            exit
        });
        Ok((answer.items, end))
    })?;
    Ok((items.into_iter().flatten().collect(), part.map_or(Ok(worst), Err)))
}

/// An answer after its remarks, which are reported; so are those before an error.
pub(crate) fn told<T>(context: &Context, answer: Result<Answer<T>, AskError>) -> Result<Answer<T>, CommandError> {
    let warnings = match &answer {
        Ok(Answer { warnings, .. }) | Err(AskError::Warned { warnings, .. }) => warnings.as_slice(),
        Err(_) => &[],
    };
    warnings.iter().for_each(|text| context.reporter.warning(text));
    let answer = answer?;
    answer.notes.iter().for_each(|text| context.reporter.note(text));
    Ok(answer)
}

/// How a command ends that has printed an answer.
pub(crate) fn ended(context: &Context, verdict: Verdict) -> CommandResult {
    match verdict {
        Verdict::Yes => Ok(Exit::Yes),
        Verdict::No => Ok(Exit::No),
        Verdict::Part(mut errors) => {
            let last = errors.pop().map_or(Ok(Exit::No), |last| Err(last.into()));
            errors.into_iter().for_each(|error| context.reporter.error(&error.into()));
            last
        }
    }
}

/// A bundle with its version, if the name does not contain it.
pub(crate) fn bundle_words(bundle: &str, version: &str) -> String {
    if version.is_empty() || bundle.contains(version) { bundle.to_owned() } else { format!("{bundle} ({version})") }
}

/// Describes a release, to be put behind a version: a hyphen would make it look like a pre-release.
pub(crate) fn release_words(release: Option<&String>) -> String {
    release.filter(|it| !it.is_empty()).map(|it| format!(" release {it}")).unwrap_or_default()
}

/// Describes the installed bundle.
pub(crate) fn installed_words(installed: &InstalledBundle) -> String {
    let unknown = match (installed.is_name_assumed, installed.is_in_catalog) {
        (true, _) => " (assumed name), which no catalog holds",
        (false, true) => "",
        (false, false) => ", which no catalog holds",
    };
    let release = release_words(installed.release.as_ref());
    format!("{}{release}{unknown}", bundle_words(&installed.name, &installed.version))
}

/// The first headers of tables of answers: about objects of a cluster, with a column for these.
pub(crate) fn manager_headers(managed_by: Option<&String>) -> Vec<&'static str> {
    ["OLM", "PACKAGE"].into_iter().chain(managed_by.map(|_| "MANAGER")).collect()
}

/// The headers of tables of targets.
pub(crate) const TARGET_HEADERS: [&str; 7] = ["BUNDLE", "VERSION", "CATALOG", "CHANNEL", "BECAUSE", "PLACE", "STATUS"];

/// The first names of a long list, and how many more there are.
pub(crate) fn few(names: &[String]) -> String {
    const SHOWN: usize = 3;
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => names.join(","),
        Some(n_more) => format!("{} +{n_more}", names[..SHOWN].join(",")),
    }
}

/// The row of a target: each field that permits it is named, with the place of the first.
pub(crate) fn target_row(target: &Target) -> Vec<String> {
    // The same field with the same value occurs in many channels.
    let mut because: Vec<(String, Vec<String>)> = Vec::new();
    for permit in &target.permits {
        let said = format!("{} {}", permit.field.as_str(), permit.value);
        match because.iter_mut().find(|it| it.0 == said) {
            Some((_, channels)) => channels.push(permit.channel.clone()),
            None => because.push((said, vec![permit.channel.clone()])),
        }
    }
    let because: Vec<String> = because.iter().map(|(said, channels)| format!("{said} in {}", few(channels))).collect();
    let deprecated = target.is_deprecated.then(|| "deprecated".to_owned());
    let refused = target.refused_for.as_ref().map(|it| format!("refused for its {it}"));
    let refusal = target.refusal.as_ref().map(|it| format!("OLM v1 refuses it: {}", it.replace('\n', " ")));
    let status: Vec<String> = deprecated.into_iter().chain(refused).chain(refusal).collect();
    let place = target.permits.first().map(Permit::place).unwrap_or_default();
    vec![
        target.bundle.clone(),
        format!("{}{}", target.version, release_words(target.release.as_ref())),
        target.catalog.clone(),
        few(&target.channels),
        because.join("; "),
        place,
        status.join("; "),
    ]
}

/// A minor version of OpenShift.
pub(crate) fn parse_minor(text: &str) -> Result<Minor, String> {
    minor(text)
}
