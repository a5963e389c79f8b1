//! Checks of the CustomResourceDefinitions that a bundle carries in `olm.bundle.object` properties.

use super::facts::Draft;
use super::inspect::{Inspector, draft};
use super::property;
use crate::crd::outline::{self, Manifest, Outline, Owned};
use crate::crd::ownership::{Complaint, Subject, check_definitions, check_owned};
use olmdex_base::diag::Finding;
use olmdex_fbc::{BUNDLE_OBJECT, Bundle, for_each_object};

/// The objects of a bundle that matter here, each with its number among all of them.
#[derive(Default)]
pub(super) struct Carried {
    csv: Option<(usize, Vec<Owned>)>,
    definitions: Vec<Outline>,
    numbers: Vec<usize>,
    n_objects: usize,
    is_skimmed: bool,
}

impl Carried {
    /// Adds the next object.
    pub(super) fn add(&mut self, object: &[u8]) {
        match outline::skim(object) {
            Some(found) => {
                self.is_skimmed = true;
                self.put(found);
            }
            None => self.put(outline::read(object)),
        }
    }

    fn put(&mut self, found: Manifest) {
        match found {
            Manifest::Definition(it) => {
                self.definitions.push(it);
                self.numbers.push(self.n_objects);
            }
            // The first counts.
            Manifest::Csv(owned) if self.csv.is_none() => self.csv = Some((self.n_objects, owned)),
            Manifest::Csv(_) | Manifest::Other => {}
        }
        self.n_objects += 1;
    }

    /// The number of objects.
    pub(super) fn count(&self) -> usize {
        self.n_objects
    }

    /// The complaints, with the numbers of the objects that they are about.
    fn complaints(&self) -> Vec<(usize, Complaint)> {
        if self.definitions.is_empty() {
            // A catalog that was cut to its ClusterServiceVersions does not show the content of the bundles.
            return Vec::new();
        }
        let mut complaints = check_definitions(&self.definitions);
        if let Some((_, owned)) = &self.csv {
            complaints.extend(check_owned(owned, &self.definitions));
        }
        let number = |subject| match subject {
            Subject::Owned(_) => self.csv.as_ref().map_or(0, |(number, _)| *number),
            Subject::Definition(idx) => self.numbers[idx],
        };
        complaints.into_iter().map(|it| (number(it.subject), it)).collect()
    }
}

impl Inspector {
    pub(super) fn definitions(&mut self, bundle: &Bundle<'_>, skimmed: &Carried) {
        let mut complaints = skimmed.complaints();
        if !complaints.is_empty() && skimmed.is_skimmed {
            let mut exact = Carried::default();
            // They have been read before.
            let _ = for_each_object(bundle, |object| exact.put(outline::read(object)));
            complaints = exact.complaints();
        }
        let places: Vec<usize> =
            (0..bundle.properties.len()).filter(|&idx| bundle.properties[idx].kind == BUNDLE_OBJECT).collect();
        for (number, Complaint { finding: Finding { rule, message, help, .. }, .. }) in complaints {
            let it = Draft { help, ..draft(rule, format!("bundle `{}`: {message}", bundle.name)) };
            let idx = places.get(number).copied().unwrap_or_default();
            self.push(property::draft_at(it, idx, vec!["data".into()]));
        }
    }
}
