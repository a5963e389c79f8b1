//! The pins of manifests, compared with catalogs.

use std::path::{Path, PathBuf};

use crate::ask::{Gates, PinAnswers, PinQuestion};
use crate::bundle::rules::CatalogClaims;
use crate::cli::args::cluster::read_cluster;
use crate::cli::args::sources::AskOptions;
use crate::cli::catalog::image_sets::without_reference;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cluster::Cluster;
use crate::diag::Finding;
use crate::diag::envelope::PinState;
use crate::edit;

/// Catalogs, and the manifests before the change, if pins are to be compared with them.
pub(crate) struct Pins {
    sources: AskOptions,
    source_map: Vec<String>,
    old: Option<PathBuf>,
    /// All manifests: a CatalogSource may be in another file than the Subscription that names it.
    now: Cluster,
}

impl Pins {
    /// Pins that are compared with these catalogs; `None` without any.
    pub(crate) fn of(catalogs: &[String], source_map: &[String], old: Option<&Path>) -> Option<Self> {
        let catalogs: Vec<String> = catalogs.iter().map(|word| without_reference(word).1.to_owned()).collect();
        (!catalogs.is_empty()).then(|| Self {
            sources: AskOptions::of_words(&catalogs),
            source_map: source_map.to_vec(),
            old: old.map(Path::to_owned),
            now: Cluster::default(),
        })
    }

    /// Takes more manifests.
    pub(crate) fn add(&mut self, manifests: Cluster) {
        self.now.add(manifests);
    }

    /// Whether anything pins a version.
    pub(crate) fn are_there(&self) -> bool {
        !self.now.subscriptions.is_empty() || !self.now.extensions.is_empty()
    }

    /// The findings about a bundle that joins the catalogs.
    pub(crate) fn joined_by(&self, context: &Context, newcomer: &CatalogClaims) -> Result<Vec<Finding>, CommandError> {
        Ok(edit::join(&self.sources.open(context)?, newcomer)?)
    }

    /// Compares the pins with the catalog.
    pub(crate) fn answer(&self, context: &Context) -> Result<PinAnswers, CommandError> {
        let before = self.old.as_ref().map(|old| read_cluster(context, std::slice::from_ref(old))).transpose()?;
        let question = PinQuestion {
            now: &self.now,
            before: before.as_ref(),
            source_map: self.source_map.clone(),
            are_named: self.sources.names_catalogs(),
            gates: Gates::default(),
        };
        Ok(question.answer(&self.sources.open(context)?)?)
    }
}

/// A pin in words.
pub(crate) fn words(pin: &PinState) -> String {
    let PinState { object, package, pin, exists, from, path, next } = pin;
    let mut text = match (pin, exists) {
        (None, _) => return format!("{object} pins no version of `{package}`"),
        (Some(pin), Some(false)) => return format!("{object} pins `{pin}`, which the catalog does not have"),
        (Some(pin), None) => return format!("{object} pins `{pin}`; no catalog here can show whether it exists"),
        (Some(pin), Some(true)) => format!("{object} pins `{pin}`"),
    };
    if let Some(from) = from.as_ref().filter(|_| !path.is_empty()) {
        let steps = path.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", then ");
        text.push_str(&format!("; upgrades lead from `{from}` to {steps}"));
    }
    match next {
        Some(next) => text.push_str(&format!("; next comes `{next}`")),
        None => text.push_str("; nothing newer comes after it"),
    }
    text
}
