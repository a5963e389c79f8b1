//! The pins of manifests, compared with catalogs.

use std::path::Path;

use crate::ask::{Gates, PinAnswers, PinQuestion};
use crate::cli::args::cluster::read_cluster;
use crate::cli::args::sources::AskOptions;
use crate::cli::terminal::context::Context;
use crate::cli::terminal::error::CommandError;
use crate::cluster::Cluster;
use crate::diag::envelope::PinState;
use crate::index::Index;

/// Catalogs, and the manifests before the change, if pins are to be compared with them.
pub(crate) struct Pins {
    index: Index,
    are_named: bool,
    source_map: Vec<String>,
    before: Option<Cluster>,
    /// All manifests: a CatalogSource may be in another file than the Subscription that names it.
    now: Cluster,
}

impl Pins {
    /// Opens the catalogs; `None` without any.
    pub(crate) fn open(
        context: &Context,
        catalogs: &[String],
        source_map: &[String],
        old: Option<&Path>,
    ) -> Result<Option<Self>, CommandError> {
        if catalogs.is_empty() {
            return Ok(None);
        }
        let sources = AskOptions::of_words(catalogs);
        let before = old.map(|it| read_cluster(context, &[it.to_owned()])).transpose()?;
        Ok(Some(Self {
            index: sources.open(context)?,
            are_named: sources.names_catalogs(),
            source_map: source_map.to_vec(),
            before,
            now: Cluster::default(),
        }))
    }

    /// Takes more manifests.
    pub(crate) fn add(&mut self, manifests: Cluster) {
        self.now.add(manifests);
    }

    /// Compares the pins with the catalog.
    pub(crate) fn answer(&self) -> Result<PinAnswers, CommandError> {
        let question = PinQuestion {
            now: &self.now,
            before: self.before.as_ref(),
            source_map: self.source_map.clone(),
            are_named: self.are_named,
            gates: Gates::default(),
        };
        Ok(question.answer(&self.index)?)
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
