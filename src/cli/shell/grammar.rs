//! The visible words of the command line. Each takes over several commands: a verb or an option of the word says which
//! of them answers. The words of these commands stay, hidden, and mean what they always meant.
//!
//! A word is translated before anything is parsed, so each question keeps the one description of its options that it
//! has; only the help of a word shows those of all its commands together.

use std::ffi::OsString;
use std::path::Path;

use clap::Command;

use crate::cli::args::legacy_source::is_legacy;
use crate::cli::args::sources::is_path;
use crate::cli::args::words::{Part, Role, read};
use crate::cli::shell::groups::Task;
use crate::cli::shell::vocabulary::is_command;
use crate::source::local_path;

/// A visible word with its commands.
pub(in crate::cli) struct Word {
    pub(in crate::cli) name: &'static str,
    /// Its description; empty for that of the command of the same name.
    pub(super) about: &'static str,
    /// Its usage, if its options and verbs do not tell it.
    pub(super) usage: &'static str,
    /// Its examples; empty for those of the command of the same name.
    pub(super) examples: &'static str,
    /// Its place in the help; `None` for that of the command of the same name.
    place: Option<(Task, u8)>,
    /// The commands that it takes over. The first one that is chosen answers.
    pub(super) views: &'static [View],
    /// Options of the command of the same name that another way to say the same replaces.
    pub(super) replaced: &'static [&'static str],
    /// Options of all its verbs that the help of the word alone shows.
    pub(super) of_word: &'static [&'static str],
}

/// A command that a word takes over.
pub(super) struct View {
    pub(super) when: When,
    /// The command, in words.
    pub(super) command: &'static [&'static str],
    pub(super) shape: Shape,
    /// The help of the option that chooses it. For a verb: its description and examples, if they are not the command's.
    pub(super) help: &'static str,
}

/// Which words of a line choose a command.
#[derive(Clone, Copy)]
pub(super) enum When {
    /// A verb behind the word.
    Verb(&'static str),
    /// The same before a database file, which no verb of the word itself takes.
    VerbOnDatabase(&'static str),
    /// An option without a value, which the command itself does not have.
    Flag(&'static str),
    /// One value of an option; the command itself does not have it.
    Value(&'static str, &'static str),
    /// An option that the command has under another name, or under the same.
    Option(&'static str, &'static str),
    /// A first word that is none of these.
    WordOtherThan(&'static [&'static str]),
    /// Nothing.
    Always,
}

/// How the rest of the line becomes that of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Unchanged.
    Same,
    /// `-O TARGET` becomes the last word.
    TargetLast,
    /// `-O TARGET`, or the last word of several, becomes the value of this option.
    TargetOf(&'static str),
    /// The two first words become `--old` and `-i`.
    OldAndNew,
    /// Each word becomes a value of `-i`.
    SourcesByOption,
    /// Two names beside `-i INDEX` are those of catalogs in this index.
    OfIndex,
    /// A first word that is one of these goes.
    Without(&'static [&'static str]),
}

const fn view(when: When, command: &'static [&'static str], help: &'static str) -> View {
    View { when, command, shape: Shape::Same, help }
}

const fn shaped(when: When, command: &'static [&'static str], shape: Shape, help: &'static str) -> View {
    View { when, command, shape, help }
}

/// All options of a command.
pub(super) const ALL: &[&str] = &["*"];

/// The kinds of rows that `list` has.
const KINDS: &[&str] = &["packages", "channels", "bundles", "catalogs", "operators", "packagemanifests"];

/// Its other kinds, which other commands list.
const OTHER_KINDS: &[&str] = &["apis", "installed"];

/// A word that is described as the command of the same name.
const PLAIN: Word =
    Word { name: "", about: "", usage: "", examples: "", place: None, views: &[], replaced: &[], of_word: &[] };

pub(in crate::cli) const WORDS: &[Word] = &[
    Word {
        name: "check",
        views: &[
            shaped(When::Value("--only", "crd"), &["crd-check", "--all"], Shape::SourcesByOption, ""),
            view(When::Always, &["check"], ""),
        ],
        ..PLAIN
    },
    Word {
        name: "list",
        usage: "olmdex list [packages|channels|bundles|catalogs|apis|installed] [NAME|WORD]… [OPTIONS]",
        about: "List packages, channels, bundles, APIs, or what is installed",
        examples: "Examples:
  olmdex list packages
  olmdex list kafka
  olmdex list apis monitoring.coreos.com/v1/Prometheus
  olmdex list installed --cluster must-gather/
  olmdex list bundles keda --openshift 4.19
  olmdex list keda --by-catalog",
        views: &[
            shaped(
                When::Flag("--support-ends"),
                &["lifecycle"],
                Shape::Without(&["packages", "bundles", "operators", "installed"]),
                "Show how long versions are supported",
            ),
            view(When::Verb("apis"), &["provides"], ""),
            view(When::Verb("installed"), &["installed"], ""),
            view(When::Option("--requires", ""), &["requires"], "List the bundles that require this API or package"),
            shaped(
                When::Flag("--by-catalog"),
                &["whereis"],
                Shape::Without(KINDS),
                "Show which catalogs have a package, and its heads there",
            ),
            shaped(
                When::Flag("--space"),
                &["info"],
                Shape::Without(KINDS),
                "Show what an index holds, and how much space each part takes",
            ),
            shaped(
                When::Option("--openshift", "--to"),
                &["compat"],
                Shape::Without(KINDS),
                "Show which versions support this version of OpenShift, or block the update to it, the highest first",
            ),
            view(When::WordOtherThan(KINDS), &["search"], ""),
            view(When::Always, &["list"], ""),
        ],
        ..PLAIN
    },
    Word {
        name: "deps",
        usage: "olmdex deps NAME… [--closure|--needed-by|--why] [OPTIONS]",
        about: "Show what a bundle requires, who needs it, or why it is there",
        examples: "Examples:
  olmdex deps keda@2.10.1
  olmdex deps keda --needed-by
  olmdex deps keda@2.10.1 --closure
  olmdex deps cert-manager --why --install keda",
        views: &[
            view(When::Flag("--needed-by"), &["requires"], "List the bundles that require this package or API"),
            view(When::Flag("--why"), &["why"], "Show the chains of dependencies that lead to this package"),
            view(When::Always, &["deps"], ""),
        ],
        ..PLAIN
    },
    Word {
        name: "upgrades",
        usage: "olmdex upgrades [NAME[@FROM]]… [--to VERSION|--steps|--every-version] [OPTIONS]",
        about: "Show the next upgrades, or why OLM does not take a version",
        examples: "Examples:
  olmdex upgrades keda@2.10.1
  olmdex upgrades keda@2.8.1 --to 2.10.1
  olmdex upgrades keda@2.8.1 --steps
  olmdex upgrades keda --every-version
  olmdex upgrades keda --stuck -o name
  olmdex upgrades --cluster must-gather/",
        place: Some((Task::Upgrades, 1)),
        views: &[
            view(
                When::Flag("--every-version"),
                &["standings"],
                "Show whether upgrades lead from each version to the newest, or to `--to`",
            ),
            view(
                When::Option("--stuck", "--stuck"),
                &["standings"],
                "Show only versions from which no upgrade leads there, in any channel",
            ),
            view(
                When::Option("--to", "--to"),
                &["path", "--reasons", "--outlook"],
                "Show the upgrades to this version or bundle, or why none lead there",
            ),
            view(When::Flag("--steps"), &["path", "--outlook"], "Show the upgrades that OLM makes one after another"),
            view(When::Option("--shortest", "--shortest"), &["path", "--outlook"], ""),
            view(When::Always, &["updates", "--outlook"], ""),
        ],
        ..PLAIN
    },
    Word {
        name: "plan",
        usage: "olmdex plan --cluster PATH --to VERSION|olm-v1 [--only blockers|platform] [OPTIONS]",
        views: &[
            view(
                When::Value("--only", "blockers"),
                &["compat", "--blockers"],
                "Only what blocks the upgrade of the cluster",
            ),
            view(When::Value("--only", "platform"), &["platform-path"], "Only the updates of OpenShift"),
            view(When::Value("--to", "olm-v1"), &["v1", "check"], ""),
            view(When::Always, &["plan"], ""),
        ],
        ..PLAIN
    },
    Word {
        name: "diff",
        usage: "olmdex diff OLD NEW [--only crd|images] [OPTIONS]",
        views: &[
            view(When::Value("--only", "crd"), &["crd-check"], "Only whether OLM allows the upgrades of definitions"),
            shaped(When::Value("--only", "images"), &["images"], Shape::OldAndNew, "Only the images that are new"),
            shaped(When::Always, &["diff"], Shape::OfIndex, ""),
        ],
        ..PLAIN
    },
    Word {
        name: "log",
        usage: "olmdex log NAME… [--by-commit|--stranded|--bisect RULE] [OPTIONS]",
        about: "Show when versions came and went, and by which commit",
        examples: "Examples:
  olmdex log keda
  olmdex log keda --by-commit -i past.db
  olmdex log keda --stranded -i past.db
  olmdex log keda --bisect W0802 -i past.db",
        place: Some((Task::Catalogs, 9)),
        views: &[
            view(When::Flag("--stranded"), &["stranded"], "Show whom OLM Classic stopped upgrading, from when to when"),
            view(When::Flag("--by-commit"), &["blame"], "Show the commit of each change"),
            view(When::Option("--bisect", "--rule"), &["bisect"], "Find the last day without a finding of this rule"),
            view(When::Always, &["history"], ""),
        ],
        ..PLAIN
    },
    Word {
        name: "edit",
        about: "Change a catalog: its files, templates, or a legacy SQLite file",
        examples: "Examples:
  olmdex edit deprecate till/stable -m 'Use fast.' -i my-catalog/ --dry-run
  olmdex edit remove till@1.0.0 -i my-catalog/ --impact
  olmdex edit promote till.v1.1.0 --channel fast -i my-catalog/ --dry-run
  olmdex edit add legacy.db my-bundle/ -O larger.db
  olmdex edit remove legacy.db keda -O smaller.db",
        views: &[
            view(When::Verb("z-stream"), &["z-stream"], ""),
            view(When::Verb("release"), &["release"], ""),
            view(When::Verb("new-package"), &["init"], ""),
            view(When::Verb("impact"), &["simulate"], ""),
            view(
                When::Verb("repair"),
                &["simulate", "--repair-all"],
                "Find the fewest edits of entries with which nobody stays stranded
Examples:
  olmdex edit repair -i my-catalog/
  olmdex edit repair keda -i my-catalog/
  olmdex edit repair keda -i my-catalog/ -o json",
            ),
            view(When::Verb("prune"), &["legacy", "prune"], ""),
            view(When::Verb("prune-stranded"), &["legacy", "prune-stranded"], ""),
            view(When::Verb("truncate"), &["legacy", "deprecate-truncate"], ""),
            view(When::VerbOnDatabase("add"), &["legacy", "add"], ""),
            view(When::VerbOnDatabase("remove"), &["legacy", "rm"], ""),
            view(When::Always, &["edit"], ""),
        ],
        of_word: &["force", "follow", "impact"],
        ..PLAIN
    },
    Word {
        name: "template",
        views: &[
            view(
                When::Verb("onboard"),
                &["onboard"],
                "Make a catalog of an operator's bundles: templates, catalogs, ci.yaml
Examples:
  olmdex template onboard bundles --image-template 'quay.io/k/{{.Package}}:v{{.Version}}'
  olmdex template onboard bundles --image-template 'quay.io/k/k:{{.Version}}' --dockerfile
  olmdex template onboard bundles --image-template 'quay.io/k/k:{{.Version}}' --dry-run",
            ),
            view(When::Always, &["template"], ""),
        ],
        ..PLAIN
    },
    Word {
        name: "export",
        usage: "olmdex export [[NAME=]SOURCE]… --to files|legacy|site|parquet -O TARGET [OPTIONS]",
        about: "Write catalogs as files, as the legacy SQLite file, pages or Parquet",
        examples: "Examples:
  olmdex export legacy.db --to files -O files/
  olmdex export my-catalog/ --to legacy -O new.db
  olmdex export index.db --to site -O site/
  olmdex export index.db --to parquet -O views/",
        views: &[
            shaped(When::Value("--to", "files"), &["migrate"], Shape::TargetLast, "file-based catalogs"),
            view(When::Value("--to", "legacy"), &["export", "--legacy"], "the SQLite file of opm"),
            shaped(When::Value("--to", "site"), &["export"], Shape::TargetOf("--site"), "pages, as `serve` shows them"),
            shaped(
                When::Value("--to", "parquet"),
                &["export"],
                Shape::TargetOf("--parquet"),
                "the views of the index, for DuckDB and others",
            ),
            view(When::Always, &["export"], ""),
        ],
        replaced: &["site", "parquet", "legacy"],
        ..PLAIN
    },
    Word {
        name: "mirror",
        usage: "olmdex mirror filter|status|delta|delete|union [OPTIONS]",
        about: "Filter catalogs for a mirror; show what it lacks, or what can go",
        examples: "Examples:
  olmdex mirror filter -p keda -i quay.io/org/catalog:v1=my-catalog/ -o isc
  olmdex mirror status -c imageset.yaml -i my-catalog/ --at oci:my-layout
  olmdex mirror delta oci:my-layout oci:next-layout",
        views: &[
            view(When::Verb("filter"), &["filter"], ""),
            view(
                When::Verb("status"),
                &["mirror"],
                "Show what a mirror lacks, what it has, and what is no longer needed
Examples:
  olmdex mirror status -c imageset.yaml -i my-catalog/ --at oci:my-layout
  olmdex mirror status --package keda/stable -i my-catalog/ --at oci:my-layout
  olmdex mirror status -c imageset.yaml -i my-catalog/ --at oci:my-layout -o json",
            ),
            view(When::Always, &["mirror"], ""),
        ],
        replaced: ALL,
        ..PLAIN
    },
    Word {
        name: "lock",
        views: &[
            view(When::Verb("outdated"), &["outdated"], ""),
            view(When::Verb("renovate"), &["renovate"], ""),
            view(When::Always, &["lock"], ""),
        ],
        ..PLAIN
    },
    Word {
        name: "image",
        usage: "olmdex image build|dockerfile|push|pull [OPTIONS]",
        about: "Make, send and fetch images of catalogs",
        views: &[
            view(
                When::Verb("build"),
                &["image"],
                "Write the Dockerfiles of the catalogs of olmdex.toml, or make the image of one
Examples:
  olmdex image build
  olmdex image build community
  olmdex image build community --destination oci:image:latest",
            ),
            view(When::Verb("dockerfile"), &["generate", "dockerfile"], ""),
            #[cfg(feature = "oci")]
            view(When::Verb("push"), &["push"], ""),
            #[cfg(feature = "oci")]
            view(When::Verb("pull"), &["pull"], ""),
            view(When::Always, &["image"], ""),
        ],
        replaced: ALL,
        ..PLAIN
    },
    Word {
        name: "help",
        views: &[
            view(When::Option("--man", ""), &["man"], ""),
            view(When::Option("--completion", ""), &["completion"], ""),
        ],
        ..PLAIN
    },
];

/// Whether a command line asks for help.
pub(in crate::cli) fn asks_for_help(words: &[OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == "-h" || word == "--help")
}

/// The word of a command line, with its index.
pub(super) fn word_of(words: &[OsString]) -> Option<(usize, &'static Word)> {
    let is_spoken =
        |(at, word): &(usize, &OsString)| is_command(words, *at) && !word.to_string_lossy().starts_with('-');
    let (at, spoken) = words.iter().enumerate().skip(1).find(is_spoken)?;
    Some((at, WORDS.iter().find(|word| spoken == word.name)?))
}

/// A command line in the words of the commands, whose places in the help `places` has. `arguments` describes the
/// command of a name, `globals` has the options of all commands.
pub(in crate::cli) fn translated(
    words: Vec<OsString>,
    places: &[(Task, u8, &str)],
    arguments: impl Fn(&str) -> Option<Command>,
    globals: impl Fn() -> Command,
) -> Vec<OsString> {
    if asks_for_help(&words) {
        return words;
    }
    let mut words = with_names_placed(words, places, &arguments);
    let Some((at, word)) = word_of(&words) else { return words };
    // The newest version has no name: all steps lead there.
    let is_newest = |pair: &[OsString]| pair[0] == "--to" && (pair[1] == "latest" || pair[1] == "newest");
    if let Some(to) = words.windows(2).position(is_newest).filter(|_| word.name == "upgrades") {
        words.splice(to..to + 2, ["--steps".into()]);
    }
    let parts = |rest: &[OsString], command: &str| {
        let described: Vec<Command> =
            [word.name, command].into_iter().filter_map(&arguments).chain([globals()]).collect();
        read(rest, &described.iter().collect::<Vec<_>>())
    };
    let Some((view, rest)) = word.chosen(&words[at + 1..], &parts) else { return words };
    let rest = match view.shape {
        Shape::Same => rest,
        shape => shape.applied(parts(&rest, view.command[0])),
    };
    let before = words[..at].iter().cloned();
    before.chain(view.command.iter().map(OsString::from)).chain(rest).collect()
}

/// A command line with the value of `-p` or `--package`, which users of other tools type, among the names. Only visible
/// words do without the option: a hidden one refuses what it always refused.
fn with_names_placed(
    mut words: Vec<OsString>,
    places: &[(Task, u8, &str)],
    arguments: &impl Fn(&str) -> Option<Command>,
) -> Vec<OsString> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let value = |word: &OsString| word.to_str().and_then(|word| word.strip_prefix("--package=")).map(OsString::from);
    if !words[..end].iter().any(|word| names_package(word) || value(word).is_some()) {
        return words;
    }
    let Some(name) = words[1..end].iter().find_map(|word| word.to_str().filter(|word| !word.starts_with('-'))) else {
        return words;
    };
    let views = WORDS.iter().find(|word| word.name == name).map_or(&[][..], |word| word.views);
    let commands: Vec<Command> =
        [name].into_iter().chain(views.iter().map(|view| view.command[0])).filter_map(arguments).collect();
    let is_known = |option: &clap::Arg| option.get_short() == Some('p') || option.get_long() == Some("package");
    let is_visible = !views.is_empty() || places.iter().any(|(task, _, it)| *it == name && *task != Task::Hidden);
    let takes_names = commands.iter().flat_map(Command::get_positionals).any(|position| {
        let of_position = position.get_value_names().unwrap_or_default().iter();
        of_position.into_iter().any(|name| ["PKG", "NAME", "WORD"].iter().any(|part| name.contains(part)))
    });
    if !is_visible || !takes_names || commands.iter().flat_map(Command::get_arguments).any(is_known) {
        return words;
    }
    let behind = words.split_off(end);
    let (mut others, mut names) = (Vec::new(), Vec::new());
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        match (value(&word), names_package(&word)) {
            (Some(name), _) => names.push(name),
            // Without a value, the command complains.
            (None, true) => match rest.next() {
                Some(name) => names.push(name),
                None => others.push(word),
            },
            (None, false) => others.push(word),
        }
    }
    others.into_iter().chain(names).chain(behind).collect()
}

impl Word {
    /// The command that answers, with the words for it. `parts` takes words apart as this word and a command read them.
    pub(super) fn chosen(
        &self,
        rest: &[OsString],
        parts: &dyn Fn(&[OsString], &str) -> Vec<Part>,
    ) -> Option<(&'static View, Vec<OsString>)> {
        self.views.iter().find_map(|view| Some((view, view.when.taken(rest, &|| parts(rest, view.command[0]))?)))
    }
}

impl When {
    /// The option that chooses a command, with its value.
    pub(super) fn choice(self) -> Option<String> {
        match self {
            Self::Flag(name) | Self::Option(name, _) => Some(name.to_owned()),
            Self::Value(name, value) => Some(format!("{name} {value}")),
            Self::Verb(_) | Self::VerbOnDatabase(_) | Self::WordOtherThan(_) | Self::Always => None,
        }
    }

    /// Whether an option chooses the command that the command itself has under this name.
    pub(super) fn is_own_option(self) -> bool {
        matches!(self, Self::Option(name, own) if name == own)
    }

    /// The words that are left for a command; `None` if the words do not choose it. `parts` are the words taken apart.
    fn taken(self, rest: &[OsString], parts: &dyn Fn() -> Vec<Part>) -> Option<Vec<OsString>> {
        let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
        let without = |at: usize, n: usize| [&rest[..at], &rest[at + n..]].concat();
        let option = |name: &str| {
            rest[..end].iter().enumerate().find_map(|(at, word)| match word.to_str()?.strip_prefix(name)? {
                "" => Some((at, None)),
                text => Some((at, Some(text.strip_prefix('=')?.to_owned()))),
            })
        };
        match self {
            Self::Always => Some(rest.to_vec()),
            Self::Verb(verb) => rest.first().filter(|word| *word == verb).map(|_| rest[1..].to_vec()),
            Self::VerbOnDatabase(verb) => {
                let is_database = rest.get(1).map(Path::new).is_some_and(|path| {
                    // The first word after `add` may be the image of a bundle.
                    let is_image = verb == "remove" && local_path(path).is_none_or(|local| local != path);
                    is_image || path.extension().is_some_and(|it| it == "db") || is_legacy(path)
                });
                Self::Verb(verb).taken(rest, parts).filter(|_| is_database)
            }
            Self::Flag(name) => option(name).filter(|found| found.1.is_none()).map(|(at, _)| without(at, 1)),
            Self::Value(name, wanted) => match option(name)? {
                (at, Some(value)) => (value == wanted).then(|| without(at, 1)),
                (at, None) => rest.get(at + 1).filter(|value| *value == wanted).map(|_| without(at, 2)),
            },
            Self::Option(name, other) => {
                let (at, value) = option(name)?;
                let renamed = (!other.is_empty()).then(|| OsString::from(other));
                let value = value.map(OsString::from);
                Some([&rest[..at], renamed.as_slice(), value.as_slice(), &rest[at + 1..]].concat())
            }
            Self::WordOtherThan(known) => {
                let parts = parts();
                let first = parts.iter().find(|part| part.role == Role::Position)?.words.first()?.to_str()?;
                // A misspelt kind is no word to search for.
                let meant = crate::diag::closest(first, known.iter().chain(OTHER_KINDS).copied());
                (!is_one_of(first, known) && meant.is_none()).then(|| rest.to_vec())
            }
        }
    }
}

impl Shape {
    /// The words of a command from those of a word.
    fn applied(self, mut parts: Vec<Part>) -> Vec<OsString> {
        match self {
            Self::Same => {}
            Self::OldAndNew => {
                name_positions(&mut parts, ["--old", "-i"].into_iter());
                // Names are positions of the command.
                let is_package = |part: &&mut Part| part.words.len() > 1 && names_package(&part.words[0]);
                parts.iter_mut().filter(is_package).for_each(|part| drop(part.words.remove(0)));
            }
            Self::SourcesByOption => name_positions(&mut parts, std::iter::repeat("-i")),
            Self::OfIndex => {
                let source = parts.iter().filter(|part| part.role == Role::Source).cloned().collect::<Vec<_>>();
                let is_name = |word: &OsString| !is_path(&word.to_string_lossy()) && !Path::new(word).exists();
                let mut names = parts.iter_mut().filter(|part| part.role == Role::Position).collect::<Vec<_>>();
                if let ([index], [old, new]) = (&source[..], &mut names[..])
                    && is_name(&old.words[0])
                    && is_name(&new.words[0])
                {
                    old.words.insert(0, "--old-catalog".into());
                    new.words.insert(0, "--new-catalog".into());
                    parts.push(index.clone());
                }
            }
            Self::Without(known) => {
                let first = parts.iter().position(|part| part.role == Role::Position);
                let is_known = |at: &usize| {
                    parts[*at].words.first().and_then(|word| word.to_str()).is_some_and(|word| is_one_of(word, known))
                };
                if let Some(at) = first.filter(is_known) {
                    parts.remove(at);
                }
            }
            Self::TargetLast => move_target(&mut parts, None),
            Self::TargetOf(option) => move_target(&mut parts, Some(option)),
        }
        parts.into_iter().flat_map(|part| part.words).collect()
    }
}

/// Whether a word is an option that names a package.
fn names_package(word: &OsString) -> bool {
    word == "-p" || word == "--package"
}

/// Whether a word is one of these, or begins it.
fn is_one_of(word: &str, known: &[&str]) -> bool {
    word.len() > 2 && known.iter().any(|kind| kind.starts_with(word))
}

/// Whether a part is a position of the word; a source that `-i` names has one.
fn is_position(part: &Part) -> bool {
    matches!(part.role, Role::Position | Role::Source)
}

/// Makes positions the values of options, the first of the first option.
fn name_positions(parts: &mut [Part], options: impl Iterator<Item = &'static str>) {
    for (part, option) in parts.iter_mut().filter(|part| is_position(part)).zip(options) {
        part.words.insert(0, option.into());
    }
}

/// Moves the value of `-O`, or the last of several positions, behind all options: as a position, or as the value of an
/// option.
fn move_target(parts: &mut Vec<Part>, option: Option<&'static str>) {
    let is_target = |part: &Part| matches!(&part.words[..], [name, _] if name == "-O" || name == "--output-file");
    let has_several = parts.iter().filter(|part| is_position(part)).count() > 1;
    let last = parts.iter().rposition(is_position).filter(|_| has_several);
    let target = parts.iter().position(is_target).or(last).and_then(|at| parts.remove(at).words.pop());
    let words = option.map(OsString::from).into_iter().chain(target).collect();
    let end = parts.iter().position(|part| part.role == Role::Rest).unwrap_or(parts.len());
    parts.insert(end, Part { role: Role::Option, words });
}

/// The description of a command that words name.
pub(super) fn find<'c>(root: &'c Command, words: &[&str]) -> Option<&'c Command> {
    let verbs = words.iter().filter(|word| !word.starts_with('-'));
    verbs.copied().try_fold(root, |command, verb| command.find_subcommand(verb))
}

/// The visible words and commands with their places in the help.
pub(in crate::cli) fn places(places: &[(Task, u8, &'static str)]) -> Vec<(Task, u8, &'static str)> {
    let new = WORDS.iter().filter_map(|word| word.place.map(|(task, place)| (task, place, word.name)));
    places.iter().copied().chain(new).collect()
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::{WORDS, find, translated};
    use crate::cli::shell::word_help::described;
    use crate::cli::{GlobalArgs, arguments_of};

    #[test]
    fn each_word_leads_to_its_command() {
        for (typed, read) in [
            ("list packages", "list packages"),
            ("list kafka -i a", "search kafka -i a"),
            ("list -i a bundles keda", "list -i a bundles keda"),
            ("list pakages", "list pakages"),
            ("list apis g/v1/K", "provides g/v1/K"),
            ("list -p keda bundles", "list bundles keda"),
            ("list bundles --package=keda -o name", "list bundles -o name keda"),
            ("upgrades -p keda --steps", "path --outlook keda"),
            ("show -p keda -- a", "show keda -- a"),
            ("updates -p keda", "updates -p keda"),
            ("images -p", "images -p"),
            ("list bundles keda --openshift 4.19", "compat keda --to 4.19"),
            ("list keda --by-catalog --openshift 4.19", "whereis keda --openshift 4.19"),
            ("list keda --by-catalog", "whereis keda"),
            ("list installed --support-ends --cluster c", "lifecycle --cluster c"),
            ("upgrades keda@1.0.0 --to latest", "path --outlook keda@1.0.0"),
            ("list --requires keda", "requires keda"),
            ("upgrades keda@1.0.0", "updates --outlook keda@1.0.0"),
            ("upgrades keda --stuck --to 2.0.0", "standings keda --stuck --to 2.0.0"),
            ("upgrades keda --to 2.0.0 --every-version", "standings keda --to 2.0.0"),
            ("upgrades keda@1.0.0 --to=2.0.0", "path --reasons --outlook keda@1.0.0 --to 2.0.0"),
            ("-q upgrades keda --steps", "-q path --outlook keda"),
            ("plan --only blockers keda", "compat --blockers keda"),
            ("plan --to olm-v1 --cluster c", "v1 check --cluster c"),
            ("plan --to 4.18 --cluster c", "plan --to 4.18 --cluster c"),
            ("diff a b --only crd", "crd-check a b"),
            ("diff a@2024-01-01 a -i x.db", "diff --old-catalog a@2024-01-01 --new-catalog a x.db x.db"),
            ("diff a.db b.db -i x.db", "diff a.db b.db x.db"),
            ("check a b --only crd -q", "crd-check --all -i a -i b -q"),
            ("check a --only valid", "check a --only valid"),
            ("diff a b --only=images -q", "images --old a -i b -q"),
            ("diff a b --only images -p c", "images --old a -i b c"),
            ("log keda", "history keda"),
            ("log keda --bisect W0802", "bisect keda --rule W0802"),
            ("edit z-stream keda", "z-stream keda"),
            ("edit add b", "edit add b"),
            ("edit add a.db b -O c.db", "legacy add a.db b -O c.db"),
            ("edit remove keda -i a.db", "edit remove keda -i a.db"),
            ("list package", "list package"),
            ("list --status deprecated", "list --status deprecated"),
            ("list --limit 5 keda", "search --limit 5 keda"),
            ("list packages keda --by-catalog", "whereis keda"),
            ("list keda kiali --by-catalog", "whereis keda kiali"),
            ("export a.db --to files -O out", "migrate a.db out"),
            ("export a.db out --to files", "migrate a.db out"),
            ("export --strict a.db out --to files", "migrate --strict a.db out"),
            ("export a.db --to files -O out -- b", "migrate a.db out -- b"),
            ("diff -i a -i b --only images", "images --old a -i b"),
            ("check --strict -i a --only crd", "crd-check --all --strict -i a"),
            ("export a --to legacy -O b.db", "export --legacy a -O b.db"),
            ("export a b=c --to site -O out", "export a b=c --site out"),
            ("export --site out a", "export --site out a"),
            ("mirror filter -p a", "filter -p a"),
            ("mirror delta a b", "mirror delta a b"),
            ("mirror union a b --full c", "mirror union a b --full c"),
            ("mirror delete -c a", "mirror delete -c a"),
            ("image push a b", "push a b"),
            ("lock keda", "lock keda"),
            ("help --man --dir .", "man --dir ."),
            ("help --completion bash", "completion bash"),
            ("help upgrades", "help upgrades"),
            ("upgrades -h", "upgrades -h"),
            ("complete -- upgrades --to", "complete -- upgrades --to"),
            ("show -- log --stranded", "show -- log --stranded"),
        ] {
            let globals = || GlobalArgs::augment_args(clap::Command::new("olmdex"));
            let words = format!("olmdex {typed}").split(' ').map(Into::into).collect();
            let words = translated(words, crate::cli::PLACES, arguments_of, globals);
            assert_eq!(words, format!("olmdex {read}").split(' ').collect::<Vec<_>>(), "{typed}");
        }
    }

    #[test]
    fn each_command_of_a_word_exists() {
        let root = crate::cli::plain();
        for word in WORDS {
            for view in word.views {
                assert!(find(&root, view.command).is_some(), "{} {:?}", word.name, view.command);
            }
            assert!(
                word.place.is_some() == root.find_subcommand(word.name).is_none() || word.name == "help",
                "{}",
                word.name
            );
        }
        described(root, crate::cli::PLACES).build();
    }

    /// Issue 53: at most 28 commands and 450 options.
    #[test]
    fn visible_commands_are_few() {
        let root = crate::cli::whole();
        let shown: Vec<_> = root.get_subcommands().filter(|command| !command.is_hide_set()).collect();
        let names: Vec<&str> = shown.iter().map(|command| command.get_name()).collect();
        // `help` is clap's own.
        assert!(names.len() < 28, "{} commands: {names:?}", names.len());
        let mut open = shown;
        let mut n_options = 0;
        while let Some(command) = open.pop() {
            open.extend(command.get_subcommands().filter(|verb| !verb.is_hide_set()));
            let is_shown = |option: &&clap::Arg| !option.is_hide_set() && !option.is_hide_long_help_set();
            let options = command.get_arguments().filter(is_shown);
            n_options += options.filter(|option| !option.is_positional()).count();
        }
        assert!(n_options <= 450, "{n_options} options");
    }
}
