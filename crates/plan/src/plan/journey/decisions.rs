//! The decisions that somebody must make, since no update helps.

use super::operator::OperatorJourney;
use crate::plan::answer::Decision;
use crate::plan::code::Code;
use crate::plan::state::{OperatorPosition, other_channels, refused};
use olmdex_constraint::openshift::Minor;
use olmdex_index::IndexError;
use olmdex_olm::upgrade::PackageView;
use olmdex_version::masterminds::api_server_refusal;

impl OperatorJourney<'_> {
    /// Reports the bundle that OLM v1 resolves to and does not install: the operator stays where it is, and reports an
    /// error.
    pub(super) fn say_what_v1_refuses(&mut self, start: &OperatorPosition) {
        let mut told: Vec<String> = Vec::new();
        for (view, minor) in self.trip.views.iter().zip(self.trip.path) {
            let Some(text) = view.as_ref().and_then(|it| refused(it, self.trip.operator, start)) else { continue };
            if told.contains(&text) {
                continue;
            }
            self.journey.decisions.push(Decision {
                code: Code::RefusedByOlmV1,
                subject: Some(self.trip.operator.subject()),
                platform: Some(minor.to_string()),
                text: text.clone(),
                options: vec![
                    "pin spec.source.catalog.version to a bundle that OLM v1 installs".to_owned(),
                    "uninstall it, and subscribe with OLM Classic".to_owned(),
                ],
            });
            told.push(text);
        }
    }

    /// A range that the API server refuses cannot be applied, so the ClusterExtension stays as it is in the cluster.
    pub(super) fn say_what_the_api_server_refuses(&mut self) {
        let Some(text) = api_server_refusal(&self.trip.operator.range) else { return };
        self.journey.decisions.push(Decision {
            code: Code::RefusedByApiServer,
            subject: Some(self.trip.operator.subject()),
            platform: None,
            text,
            options: vec![
                "correct spec.source.catalog.version so that the API server accepts it".to_owned(),
                "leave it out: OLM v1 then takes the highest permitted version".to_owned(),
            ],
        });
    }

    pub(super) fn package_gone(&mut self, minor: Minor) -> Result<(), IndexError> {
        let elsewhere =
            self.trip.catalogs.elsewhere(&self.trip.operator.families, minor, &self.trip.operator.package)?;
        let mut options = vec![
            "keep it without updates (the Subscription gets the condition ResolutionFailed and blocks its namespace)"
                .to_owned(),
            "uninstall".to_owned(),
        ];
        options.push(match elsewhere.as_slice() {
            [] => "another catalog".to_owned(),
            found => format!("another catalog: {} has the package", found.join(", ")),
        });
        self.journey.decisions.push(Decision {
            code: Code::PackageGone,
            subject: Some(self.trip.operator.subject()),
            platform: Some(minor.to_string()),
            text: format!("the catalog of {minor} does not have the package `{}`", self.trip.operator.package),
            options,
        });
        self.is_gone = true;
        Ok(())
    }

    pub(super) fn stranded(&mut self, idx: usize, view: &PackageView) {
        let minor = self.trip.path[idx];
        let missing: Vec<String> =
            (0..idx).filter(|it| self.trip.views[*it].is_none()).map(|it| self.trip.path[it].to_string()).collect();
        let mut options = Vec::new();
        match missing.as_slice() {
            [] => {}
            [only] => options.push(format!("find an upgrade in the catalog of {only}")),
            [first, .., last] => options.push(format!("find an upgrade in the catalogs of {first} to {last}")),
        }
        let mut channels = other_channels(view, self.trip.operator, &self.at).into_iter();
        if let Some((channel, way)) = channels.find(|it| !it.1.is_empty()) {
            let to = way.last().map(|it| it.bundle.clone()).unwrap_or_default();
            options.push(format!("change to channel {channel}, which has updates to {to}"));
        }
        options.push(format!(
            "uninstall it, and install it again from {}",
            self.at.channels.first().map_or("its default channel", String::as_str)
        ));
        self.journey.decisions.push(Decision {
            code: Code::Stranded,
            subject: Some(self.trip.operator.subject()),
            platform: Some(minor.to_string()),
            text: format!("in the catalog of {minor}, no update leads from {}", self.at.bundle.name),
            options,
        });
        self.is_gone = true;
    }
}
