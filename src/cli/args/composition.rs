//! The catalogs that `olmdex.toml` composes, for commands that use them if no source is named.

use std::path::{Path, PathBuf};

use crate::cli::args::bundle_images::not_rendered;
use crate::cli::lists::all_rules;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::{CommandError, Exit};
use crate::compose::{
    self, ComposeError, Composition, Config, DestinationError, FILE_NAME, FilesError, NamedCatalog, OutsideError,
    Reach, StageError,
};
use crate::diag::closest;

/// The file of options, if there is one: the named one, else the one in or above the current directory.
pub(crate) fn config(
    context: &Context,
    named: Option<&Path>,
    sources: &[PathBuf],
) -> Result<Option<Config>, CommandError> {
    let (path, reach) = match named {
        // A user who names a file trusts it.
        Some(path) => (Some(path.to_owned()), Reach::Anywhere),
        None => {
            // If there is no current directory, there is nothing above it.
            let current = std::env::current_dir().unwrap_or_default();
            let search = compose::find(&current, sources);
            for it in &search.passed_over {
                let path = it.path.display();
                context.reporter.warning(&format!("{path} is not used: {}; `--config {path}` uses it", it.why));
            }
            (search.found, context.found_config)
        }
    };
    let Some(path) = path else { return Ok(None) };
    let config = compose::read_found(&path, &all_rules(), reach)?;
    if config.converted.is_some() {
        let shown = path.display();
        let message = format!("{shown} is a composite file; `olmdex template render {shown}` prints it as olmdex.toml");
        context.reporter.note(&message);
    }
    context.reporter.detail(&format!("using the options of {}", path.display()));
    Ok(Some(config))
}

/// The file that names catalogs. `example` is a call of the command with a source.
pub(crate) fn with_catalogs(config: Option<Config>, example: &str) -> Result<Config, CommandError> {
    let help = format!(
        "name catalogs with `-i PATH`, as in `{example}`, or list them in olmdex.toml, as `[catalogs.NAME]` with \
        `source = \"my-catalog\"`"
    );
    match config {
        None => Err(CommandError::usage(format!("no catalog given, and there is no {FILE_NAME}")).help(help)),
        Some(it) if it.catalogs.is_empty() => {
            let message = format!("no catalog given, and {} names none", it.path.display());
            Err(CommandError::usage(message).help(help))
        }
        Some(it) => Ok(it),
    }
}

/// A catalog of the file, by name.
pub(crate) fn named<'c>(config: &'c Config, name: &str) -> Result<&'c NamedCatalog, CommandError> {
    config.catalogs.iter().find(|it| it.name == name).ok_or_else(|| {
        let message = format!("{} names no catalog `{name}`", config.path.display());
        let names: Vec<&str> = config.catalogs.iter().map(|it| it.name.as_str()).collect();
        CommandError::new(Exit::NotFound, message).help(match closest(name, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")),
        })
    })
}

/// The paths of the parts of a catalog in a configuration file: its sources, its templates, and the places of their
/// bundles. Empty if the file cannot be read: the build reports that error.
pub(crate) fn parts(file: &Path, catalog: &str) -> Vec<PathBuf> {
    let config = compose::read(file, &all_rules());
    let catalogs = config.map(|it| it.catalogs).unwrap_or_default();
    let components = catalogs.iter().filter(|it| it.name == catalog).flat_map(|it| &it.components);
    components.flat_map(|it| it.inputs()).map(Path::to_owned).collect()
}

/// Composes a catalog, and prints the warnings about the choice.
pub(crate) fn compose(context: &Context, config: &Config, catalog: &NamedCatalog) -> Result<Composition, CommandError> {
    config.check_inputs(catalog)?;
    let context = &context.for_config(config);
    let composed = Composition::compose(&config.path, catalog, &context.opener, &|path| context.open(path));
    let composed = composed.map_err(|error| match &error {
        ComposeError::Template { template, findings } => not_rendered(context, template, findings),
        _ => error.into(),
    })?;
    for warning in &composed.warnings {
        context.reporter.warning(&format!("catalog `{}`: {warning}", catalog.name));
    }
    Ok(composed)
}

impl From<ComposeError> for CommandError {
    fn from(error: ComposeError) -> Self {
        let exit = match &error {
            ComposeError::NotThere { .. } | ComposeError::WhichCatalog { wanted: Some(_), .. } => Exit::NotFound,
            ComposeError::WhichCatalog { .. } | ComposeError::NotAnIndex { .. } => Exit::Usage,
            ComposeError::Filter { .. } | ComposeError::Twice { .. } => Exit::No,
            _ => Exit::Input,
        };
        match error {
            ComposeError::Unopened { place, source } => Self::from(*source).at(&place),
            ComposeError::Index(error) => error.into(),
            ComposeError::Images { place, error } => Self::from(*error).at(&place),
            error => Self::new(exit, error.to_string()).with_help(error.help()),
        }
    }
}

impl From<FilesError> for CommandError {
    fn from(error: FilesError) -> Self {
        Self::new(Exit::Input, error.to_string()).help(error.help())
    }
}

impl From<DestinationError> for CommandError {
    /// The configuration file counts as part of the command line, so an error in it is an error of usage.
    fn from(error: DestinationError) -> Self {
        Self::usage(error.to_string()).help(error.help)
    }
}

impl From<OutsideError> for CommandError {
    /// The configuration file counts as part of the command line, so an error in it is an error of usage.
    fn from(error: OutsideError) -> Self {
        Self::usage(error.to_string()).help(error.help())
    }
}

impl From<StageError> for CommandError {
    fn from(error: StageError) -> Self {
        match error {
            StageError::Files(error) => error.into(),
            StageError::File(error) => error.into(),
            error => {
                let exit = if matches!(error, StageError::Unreadable { .. }) { Exit::Input } else { Exit::Usage };
                let help = error.help().unwrap_or_default();
                Self::new(exit, error.to_string()).help(help)
            }
        }
    }
}
