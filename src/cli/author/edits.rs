//! `olmdex edit`

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::edit_add::{self, AddArgs, EdgeArgs};
use super::simulate;
use super::template_file::TemplateFile;
use crate::ask;
use crate::cli::args::sources::{NamedSource, import_files, is_path, not_a_name, source_path};
use crate::cli::print::difference::print_difference;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, CommandResult, Exit};
use crate::cli::terminal::interrupt;
use crate::cli::terminal::write_edits::{in_files, leads_out, write_all};
use crate::diag::Severity;
use crate::edit::{CatalogEdit, Change, Edges, EditEffects, EditError, FileEdit, Target};
use crate::fbc::Input;
use crate::fbc::Name;
use crate::file::finish_left;
use crate::index::query::{SqlLimits, SqlValue};
use crate::json::Tree;
use crate::source::Source;

/// Change a catalog in its files: deprecate, promote, add, remove, rename
///
/// Only the lines that must change do: comments, order and style of everything else stay. A change that makes the
/// catalog invalid is refused, and users who would have no upgrade left are named. Files are written whole or not at
/// all, also those of several catalogs and templates.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  olmdex edit deprecate till/stable -m 'Use fast.' -i my-catalog/ --dry-run
  olmdex edit deprecate till@1.0.0 -m 'Upgrade to 1.1.' -i my-catalog/ -i old-catalog/ --dry-run
  olmdex edit promote till.v1.1.0 --channel fast -i my-catalog/ --dry-run
  olmdex edit remove till@1.0.0 -i my-catalog/ --dry-run")]
pub(crate) struct EditArgs {
    #[command(subcommand)]
    verb: Verb,
    /// The catalog or the template: a directory, or a file; may be repeated: a name must be in one of them, and all are
    /// changed, or none
    #[arg(short, long = "input", value_name = "CATALOG", global = true, default_value = ".", value_parser = source_path())]
    input: Vec<PathBuf>,
    /// Print the changes, and make none
    #[arg(long, global = true)]
    dry_run: bool,
    /// Show what the change means for everybody who has a version installed, and make none
    #[arg(long, global = true, conflicts_with = "dry_run")]
    impact: bool,
    /// Change it even if the catalog is not valid afterwards
    #[arg(long, global = true)]
    force: bool,
    /// Also change a file outside of the catalog that a link in it leads to
    #[arg(long, global = true)]
    follow: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Add(AddArgs),
    /// Copy the entries of a channel up to a bundle into another channel, on top of its head
    ///
    /// Entries are copied with their edges, beginning with the one after the head. A new channel gets all of them.
    #[command(after_help = "Examples:
  olmdex edit promote till@1.1.0 --channel fast -i my-catalog/ --dry-run
  olmdex edit promote till.v1.1.1 --channel fast --only -i my-catalog/ --dry-run
  olmdex edit promote till@1.0.1 till@1.1.0 --channel fast --from-channel stable -i my-catalog/")]
    Promote {
        /// Bundles: names, or PKG@VERSION
        #[arg(value_name = "BUNDLE", required = true)]
        bundles: Vec<String>,
        /// The channel that they come into
        #[arg(long, alias = "to", value_name = "CHANNEL")]
        channel: String,
        /// The channel that they come from, if several have them
        #[arg(long, alias = "from", value_name = "CHANNEL")]
        from_channel: Option<String>,
        /// Copy the bundle alone: it skips the entries between. A new channel begins with it
        #[arg(long)]
        only: bool,
    },
    /// Deprecate a package, a channel or a bundle
    #[command(after_help = "Examples:
  olmdex edit deprecate till -m 'Use keda.' -i my-catalog/ --dry-run
  olmdex edit deprecate till/stable -m 'Use fast.' -i my-catalog/ --dry-run
  olmdex edit deprecate till@1.0.0 -m 'Upgrade to 1.1.' -i my-catalog/ --dry-run")]
    Deprecate {
        /// PKG, PKG/CHANNEL, PKG@VERSION, or a bundle's name
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
        /// The message for users
        #[arg(short, long, value_name = "TEXT")]
        message: String,
    },
    /// Take a deprecation back
    #[command(after_help = "Examples:
  olmdex edit undeprecate till -i my-catalog/ --dry-run
  olmdex edit undeprecate till/stable -i my-catalog/ --dry-run
  olmdex edit undeprecate till.v1.0.0 -i my-catalog/ --dry-run")]
    Undeprecate {
        /// PKG, PKG/CHANNEL, PKG@VERSION, or a bundle's name
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
    /// Remove a package, a channel or a bundle, and join the entries around it
    ///
    /// An entry that replaced a removed bundle now replaces what that one replaced, and skips the removed bundle, so
    /// that its users can still upgrade. Removing a channel also removes the bundles that no other channel has.
    #[command(after_help = "Examples:
  olmdex edit remove till@1.0.1 -i my-catalog/ --dry-run
  olmdex edit remove till.v1.0.0 -i my-catalog/ --dry-run
  olmdex edit remove till -i my-catalog/ --dry-run")]
    Remove {
        /// PKG, PKG/CHANNEL, PKG@VERSION, or a bundle's name
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
    /// Make a channel the default
    #[command(after_help = "Examples:
  olmdex edit default-channel till/stable -i my-catalog/ --dry-run
  olmdex edit default-channel keda/stable -i my-catalog/ --dry-run
  olmdex edit default-channel till/stable -i my-catalog/till.yaml")]
    DefaultChannel {
        /// The channel
        #[arg(value_name = "PKG/CHANNEL")]
        channel: String,
    },
    /// Give a channel another name
    #[command(after_help = "Examples:
  olmdex edit rename-channel till/stable candidate -i my-catalog/ --dry-run
  olmdex edit rename-channel keda/stable stable-v2 -i my-catalog/ --dry-run
  olmdex edit rename-channel till/stable fast -i my-catalog/till.yaml")]
    RenameChannel {
        /// The channel
        #[arg(value_name = "PKG/CHANNEL")]
        channel: String,
        /// Its new name
        #[arg(value_name = "NEW")]
        new: String,
    },
    /// Give an entry other edges; an empty value removes one
    #[command(after_help = "Examples:
  olmdex edit set-edges till/stable till@1.1.1 --skips till.v1.0.1 -i my-catalog/ --dry-run
  olmdex edit set-edges till/stable till.v1.1.1 --skip-range '>=1.0.0 <1.1.1' -i my-catalog/
  olmdex edit set-edges till/stable till@1.1.0 --replaces till.v1.0.0 -i my-catalog/ --dry-run")]
    SetEdges {
        /// The channel
        #[arg(value_name = "PKG/CHANNEL")]
        channel: String,
        /// The name of the entry, or PKG@VERSION
        #[arg(value_name = "ENTRY")]
        entry: String,
        #[command(flatten)]
        edges: EdgeArgs,
    },
    /// Add a property to the bundles that meet a condition
    #[command(after_help = "Examples:
  olmdex edit add-property 'shop.reviewed=true' --where \"package = 'till'\" -i my-catalog/ --dry-run
  olmdex edit add-property 'olm.maxOpenShiftVersion=\"4.20\"' --where \"package = 'keda'\" -i my-catalog
  olmdex edit add-property 'shop.tier=2' --where \"bundle = 'till.v1.1.1'\" -i my-catalog/till.yaml")]
    AddProperty {
        /// Its type, and its value as JSON
        #[arg(value_name = "TYPE=JSON")]
        property: String,
        /// A condition in SQL over the columns of `v_bundle`
        #[arg(long = "where", value_name = "SQL")]
        condition: String,
    },
}

/// A catalog, or the graph of a template, that is edited.
struct EditedCatalog<'a> {
    path: &'a Path,
    /// The catalog as it is.
    before: Input,
    /// The files that are written.
    written: Input,
    template: Option<TemplateFile>,
    catalog: CatalogEdit,
    effects: Vec<(String, EditEffects)>,
}

impl<'a> EditedCatalog<'a> {
    fn open(context: &Context, args: &EditArgs, path: &'a Path) -> Result<Self, CommandError> {
        let (before, written, template) = opened(context, args, path)?;
        let catalog = CatalogEdit::new(before.clone());
        Ok(Self { path, before, written, template, catalog, effects: Vec::new() })
    }

    /// The changed files; of a template, its own.
    fn files<'e>(&'e self, of_template: Option<&'e Option<FileEdit>>) -> Vec<&'e FileEdit> {
        match of_template {
            Some(edit) => edit.iter().collect(),
            None => self.catalog.files().collect(),
        }
    }
}

pub(crate) fn run(context: &Context, args: &EditArgs) -> CommandResult {
    let mut all = Vec::new();
    for path in distinct(&args.input) {
        all.push(EditedCatalog::open(context, args, path)?);
    }
    let is_refused = change(context, args, &mut all)?;
    if args.impact {
        return impact(context, &all);
    }
    report_effects(context, &all, is_refused, args.force)?;
    let mut of_templates = Vec::with_capacity(all.len());
    for edited in &all {
        of_templates.push(edited.template.as_ref().map(|it| it.edit(context, &edited.catalog)).transpose()?);
    }
    let mut paths = BTreeSet::new();
    let mut edits: Vec<(&EditedCatalog<'_>, &FileEdit)> = Vec::new();
    for (edited, of_template) in all.iter().zip(&of_templates) {
        for edit in edited.files(of_template.as_ref()) {
            if !paths.insert(&edit.path) {
                let message = format!("`{}` is in two of the named catalogs", edit.path.display());
                return Err(CommandError::usage(message).help("name each catalog once"));
            }
            edits.push((edited, edit));
        }
    }
    for (_, edit) in &edits {
        if let Some(why) = edit.rewritten {
            let path = edit.path.display();
            context.reporter.warning(&format!("{path}: rewriting a document drops its comments: {why}"));
        }
    }
    if args.dry_run {
        for (edited, edit) in &edits {
            if !args.follow && leads_out(edited.path, edit) {
                let path = edit.path.display();
                let message =
                    format!("`{path}` is a symbolic link out of the catalog: olmdex changes it only with `--follow`");
                context.reporter.warning(&message);
            }
            print_difference(context, &edit.path, 1, &edit.before, &edit.after)?;
        }
    } else {
        interrupt::undo_writes(context);
        write_all(edits.iter().map(|(edited, edit)| (edited.path, &edited.written, *edit)), args.follow)?;
        for (_, edit) in &edits {
            context.reporter.note(&format!("wrote {}", edit.path.display()));
        }
    }
    if edits.is_empty() {
        context.reporter.note("nothing changes");
    }
    Ok(Exit::Yes)
}

/// The paths, each once, whatever names it has.
fn distinct(paths: &[PathBuf]) -> Vec<&Path> {
    let mut known = BTreeSet::new();
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    paths.iter().filter(|path| known.insert(real(path))).map(PathBuf::as_path).collect()
}

/// Makes the change in each catalog. Whether one refuses it.
///
/// A name that only some catalogs have is changed in those: each OpenShift has versions of its own.
fn change(context: &Context, args: &EditArgs, all: &mut [EditedCatalog<'_>]) -> Result<bool, CommandError> {
    let n_all = all.len();
    let mut absent: BTreeMap<usize, Vec<(&Path, CommandError)>> = BTreeMap::new();
    let mut is_refused = false;
    for edited in all {
        if let Verb::Add(add) = &args.verb {
            let (package, effects, joined) = edit_add::add(context, add, edited.path, &mut edited.catalog)?;
            context.reporter.findings(joined.iter());
            is_refused |= joined.iter().any(|finding| finding.rule.severity == Severity::Error);
            edited.effects = vec![(package, effects)];
            continue;
        }
        let path = edited.path.display().to_string();
        let named = |error: CommandError| if n_all > 1 { error.at(&path) } else { error };
        let mut present: Vec<(String, Vec<Change>)> = Vec::new();
        for (number, found) in changes(context, args, edited)?.into_iter().enumerate() {
            match found {
                Ok(found) => present.extend(found.into_iter().map(|(package, change)| (package, vec![change]))),
                Err(error) if n_all > 1 && is_absent(&args.verb, &error) => {
                    absent.entry(number).or_default().push((edited.path, error));
                }
                Err(error) => return Err(named(error)),
            }
        }
        match edited.catalog.change_all(&present).map_err(CommandError::from) {
            Ok(effects) => edited.effects = effects,
            // A channel is looked up only now.
            Err(error) if n_all > 1 && present.len() == 1 && is_absent(&args.verb, &error) => {
                absent.entry(0).or_default().push((edited.path, error));
            }
            Err(error) => return Err(named(error)),
        }
    }
    for (_, without) in absent {
        if without.len() == n_all {
            let first = without.into_iter().next().map(|(path, error)| error.at(&path.display().to_string()));
            return Err(first.unwrap_or_else(|| CommandError::usage("nothing to change")));
        }
        for (path, error) in without {
            context.reporter.note(&format!("{} stays as it is: {}", path.display(), error.message()));
        }
    }
    Ok(is_refused)
}

/// Whether a catalog does not have the thing to be changed.
fn is_absent(verb: &Verb, error: &CommandError) -> bool {
    error.exit == Exit::NotFound || (error.exit == Exit::No && matches!(verb, Verb::AddProperty { .. }))
}

/// Prints the meaning of a change for everybody who has a version installed.
fn impact(context: &Context, all: &[EditedCatalog<'_>]) -> CommandResult {
    let mut exit = Exit::Yes;
    for edited in all {
        if all.len() > 1 {
            context.reporter.note(&format!("{}:", edited.path.display()));
        }
        if simulate::print_impact(context, &edited.before, &edited.catalog)? != Exit::Yes {
            exit = Exit::No;
        }
    }
    Ok(exit)
}

/// Reports the effects of a change; an error if it may not be made.
fn report_effects(
    context: &Context,
    all: &[EditedCatalog<'_>],
    mut is_refused: bool,
    is_forced: bool,
) -> Result<(), CommandError> {
    let effects = || all.iter().flat_map(|edited| &edited.effects);
    let found = effects().flat_map(|(_, it)| it.errors.iter().chain(&it.warnings).chain(&it.upgrades));
    context.reporter.findings(found);
    for (package, effects) in effects() {
        is_refused |= !effects.errors.is_empty();
        if effects.is_package_gone {
            let message = format!("clusters that have `{package}` installed get no more upgrades from this catalog");
            context.reporter.warning(&message);
        }
    }
    if is_refused && !is_forced {
        let error = CommandError::new(Exit::No, "the catalog would not be valid; nothing was written");
        return Err(error.help("change something else first, or write it anyway with `--force`"));
    }
    Ok(())
}

/// The catalog to edit, the files that are written, and the template if it is that of one's graph.
fn opened(
    context: &Context,
    args: &EditArgs,
    path: &Path,
) -> Result<(Input, Input, Option<TemplateFile>), CommandError> {
    let mut source = context.open(path)?;
    let mut template = TemplateFile::of(path, &source)?;
    if !args.dry_run && !args.impact {
        // Finish an edit that was killed first.
        if let Source::Catalog(input) = &source {
            let files = input.files.iter().filter_map(|it| it.path());
            finish_left(files.chain(template.as_ref().map(TemplateFile::path)));
        }
        source = context.opener.open(path, &mut std::io::stdin().lock())?;
        template = TemplateFile::of(path, &source)?;
    }
    let Some(template) = template else {
        let help = "name a directory or a file with `-i`; `olmdex migrate` converts other sources to a directory";
        let input = in_files(path, source, help)?;
        return Ok((input.clone(), input, None));
    };
    if matches!(args.verb, Verb::Add(_) | Verb::AddProperty { .. }) {
        let shown = path.display();
        let error = CommandError::usage(format!("`{shown}` is a template: its bundles are in images"));
        return Err(error.help("add the image of the bundle to its entries, and render the template"));
    }
    let input = template.catalog().unwrap_or_default();
    Ok((input, template.file.clone(), Some(template)))
}

/// The changes to one named thing, package by package.
type NamedChanges = Result<Vec<(String, Change)>, CommandError>;

/// The changes to make, for each named thing.
fn changes(context: &Context, args: &EditArgs, edited: &EditedCatalog<'_>) -> Result<Vec<NamedChanges>, CommandError> {
    let catalog = &edited.catalog;
    let changed = |names: &[String], change: &dyn Fn(Target) -> Change| {
        let named = names.iter().map(|name| find(catalog, name));
        named.map(|found| found.map(|(package, target)| vec![(package, change(target))])).collect()
    };
    let one = |found: Result<(String, Change), CommandError>| vec![found.map(|found| vec![found])];
    Ok(match &args.verb {
        Verb::Deprecate { names, message } => {
            if message.is_empty() {
                let error = CommandError::usage("a deprecation needs a message");
                return Err(error
                    .help("tell users with `--message` what to do; `olmdex edit undeprecate` removes a deprecation"));
            }
            changed(names, &|target| Change::Deprecate { target, message: message.clone() })
        }
        Verb::Undeprecate { names } => changed(names, &Change::Undeprecate),
        Verb::Remove { names } => changed(names, &Change::Remove),
        Verb::DefaultChannel { channel } => {
            let named = catalog.channel_named(channel).map_err(CommandError::from);
            one(named.map(|(package, channel)| (package, Change::DefaultChannel(channel))))
        }
        Verb::RenameChannel { channel, new } => {
            if new.is_empty() {
                return Err(CommandError::usage("a channel needs a name").help("name it as `PKG/CHANNEL NEW`"));
            }
            let named = catalog.channel_named(channel).map_err(CommandError::from);
            one(named.map(|(package, from)| (package, Change::RenameChannel { from, to: new.clone() })))
        }
        Verb::SetEdges { channel, entry, edges } => one(set_edges(catalog, channel, entry, &edges.words())),
        // `edit add` is judged in more ways.
        Verb::Add(_) => Vec::new(),
        Verb::Promote { bundles, channel, from_channel, only } => {
            let promotion = |text: &String| {
                must_be_a_name(text)?;
                Ok(vec![catalog.promotion(text, channel, from_channel.as_deref(), *only)?])
            };
            bundles.iter().map(promotion).collect()
        }
        Verb::AddProperty { property, condition } => {
            vec![added_property(context, edited.path, &edited.before, property, condition)]
        }
    })
}

fn set_edges(catalog: &CatalogEdit, text: &str, entry: &str, words: &Edges) -> Result<(String, Change), CommandError> {
    let (package, channel) =
        if is_path(text) { catalog.channel_named(text) } else { catalog.channel_of_entry(text, entry) }?;
    let edges = catalog.edges_named(&package, words)?;
    if edges == Edges::default() {
        let error = CommandError::usage("no edge given");
        return Err(error.help("name `--replaces`, `--skips` or `--skip-range`; an empty value removes the field"));
    }
    let entry = catalog.entry_named(&package, entry)?;
    Ok((package, Change::SetEdges { channel, entry, edges }))
}

fn find(catalog: &CatalogEdit, text: &str) -> Result<(String, Target), CommandError> {
    must_be_a_name(text)?;
    Ok(catalog.find(&Name::parse(text))?)
}

fn must_be_a_name(text: &str) -> Result<(), CommandError> {
    if is_path(text) { Err(not_a_name(text)) } else { Ok(()) }
}

fn added_property(
    context: &Context,
    path: &Path,
    input: &Input,
    property: &str,
    condition: &str,
) -> Result<Vec<(String, Change)>, CommandError> {
    let Some((kind, value)) = property.split_once('=').filter(|it| !it.0.is_empty()) else {
        let error = CommandError::usage(format!("`{property}` is not TYPE=JSON"));
        return Err(error.help("write the type, `=`, and the value as JSON: `'shop.reviewed=true'`"));
    };
    let Ok(value) = Tree::read(value) else {
        let error = CommandError::usage(format!("`{value}` is not JSON"));
        return Err(error.help("put strings in double quotes: `'TYPE=\"text\"'`"));
    };
    let mut of_package: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (package, name) in bundles_where(context, path, input, condition)? {
        of_package.entry(package).or_default().push(name);
    }
    if of_package.is_empty() {
        let error = CommandError::new(Exit::No, "no bundle meets the condition");
        return Err(error.help("`olmdex sql` shows the rows of `v_bundle`"));
    }
    let change = |bundles| Change::AddProperty { bundles, kind: kind.to_owned(), value: value.clone() };
    Ok(of_package.into_iter().map(|(package, bundles)| (package, change(bundles))).collect())
}

/// The bundles that meet a condition, with their packages.
fn bundles_where(
    context: &Context,
    path: &Path,
    input: &Input,
    condition: &str,
) -> Result<Vec<(String, String)>, CommandError> {
    let mut builder = ask::builder();
    let source = NamedSource { name: "catalog".to_owned(), is_named: true, path: path.to_owned() };
    import_files(context, &mut builder, &source, input)?;
    let mut index = builder.into_index()?;
    let sql = format!("SELECT package, bundle FROM v_bundle WHERE ({condition}\n) ORDER BY 1, 2");
    let found = index.sql(&sql, SqlLimits::default()).map_err(|error| {
        let columns = "its columns are those of `olmdex sql \"SELECT * FROM v_bundle LIMIT 1\"`";
        CommandError::usage(format!("the condition is not valid SQL on `v_bundle`: {error}")).help(columns)
    })?;
    if found.is_cut {
        return Err(CommandError::new(Exit::Limit, "too many bundles meet the condition")
            .help("narrow the condition, and change fewer at a time"));
    }
    let texts = found.rows.into_iter().filter_map(|row| match <[SqlValue; 2]>::try_from(row) {
        Ok([SqlValue::Text(package), SqlValue::Text(name)]) => Some((package, name)),
        _ => None,
    });
    Ok(texts.collect())
}

impl From<EditError> for CommandError {
    fn from(error: EditError) -> Self {
        let exit = match error {
            EditError::Index(error) => return error.into(),
            EditError::Unknown { .. } | EditError::NewPackage { .. } => Exit::NotFound,
            EditError::NotNamed { .. }
            | EditError::OfAnotherPackage { .. }
            | EditError::NotAField(_)
            | EditError::NoChannel => Exit::Usage,
            EditError::Document { error: crate::fbc::EditError::TooLong, .. } => Exit::Limit,
            EditError::Taken { .. } | EditError::Unfit { .. } => Exit::No,
            _ => Exit::Input,
        };
        Self::new(exit, error.to_string()).help(error.help())
    }
}
