//! How much a check has checked, in words.

use crate::compose::Chosen;
use crate::diag::{Tally, counted};

/// How much of each kind was checked.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) catalogs: u64,
    pub(super) packages: u64,
    pub(super) catalog_bundles: u64,
    pub(super) templates: u64,
    pub(super) bundles: u64,
    pub(super) operators: u64,
    /// In repositories of operators.
    pub(super) catalogs_of_operators: u64,
    pub(super) legacy: u64,
    pub(super) settings: u64,
    pub(super) definitions: u64,
    pub(super) objects: u64,
    pub(super) image_sets: u64,
    pub(super) deletions: u64,
}

impl Counts {
    pub(super) fn is_nothing(&self) -> bool {
        let Self { packages, catalog_bundles, templates, bundles, operators, .. } = self;
        let Self { legacy, settings, definitions, objects, image_sets, deletions, .. } = self;
        let of_catalogs = packages + catalog_bundles + templates + bundles + operators + legacy;
        of_catalogs + settings + definitions + objects + image_sets + deletions == 0
    }

    /// The verdict on all that was checked.
    pub(super) fn verdict(&self, chosen: &Chosen) -> String {
        let what = self.words();
        let valid = if chosen.has_hidden_errors() { "no errors except hidden ones" } else { "no errors" };
        match chosen.tally() {
            Tally { errors: 0, warnings: 0 } => format!("checked {what}: {valid}"),
            tally @ Tally { errors: 0, .. } => format!("checked {what}: {valid}, {tally}"),
            tally => format!("checked {what}: {tally}"),
        }
    }

    fn words(&self) -> String {
        let mut parts = Vec::new();
        if self.catalogs > 0 {
            let (packages, bundles) = (counted(self.packages, "package"), counted(self.catalog_bundles, "bundle"));
            parts.push(format!("{} ({packages}, {bundles})", counted(self.catalogs, "catalog")));
        }
        let others = [
            (self.templates, "template"),
            (self.operators, "operator"),
            (self.catalogs_of_operators, "catalog"),
            (self.bundles, "bundle"),
            (self.legacy, "legacy file"),
            (self.settings, "settings file"),
            (self.definitions, "definition"),
            (self.objects, "cluster object"),
            (self.image_sets, "ImageSetConfiguration"),
            (self.deletions, "DeleteImageSetConfiguration"),
        ];
        for (n, what) in others.into_iter().filter(|it| it.0 > 0) {
            parts.push(match what {
                "cluster object" if n > 1 => format!("{n} cluster objects"),
                "catalog" if n > 1 => format!("{n} catalogs"),
                what => counted(n, what),
            });
        }
        parts.join(", ")
    }
}
