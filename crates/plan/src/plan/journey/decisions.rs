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
    /// Leaves a decision about the operator to somebody.
    pub(super) fn decide(&mut self, code: Code, platform: Option<Minor>, text: String, options: Vec<String>) {
        let (subject, platform) = (Some(self.trip.operator.subject()), platform.map(|it| it.to_string()));
        self.journey.decisions.push(Decision { code, subject, platform, text, options });
    }

    /// Reports the bundle that OLM v1 resolves to and does not install: the operator stays where it is, and reports an
    /// error.
    pub(super) fn say_what_v1_refuses(&mut self, start: &OperatorPosition) {
        let views = self.trip.views.iter().zip(self.trip.path);
        let texts =
            views.filter_map(|(view, minor)| Some((*minor, refused(view.as_ref()?, self.trip.operator, start)?)));
        let mut told: Vec<String> = Vec::new();
        for (minor, text) in texts.collect::<Vec<_>>() {
            if told.contains(&text) {
                continue;
            }
            let options = vec![
                "pin spec.source.catalog.version to a bundle that OLM v1 installs".to_owned(),
                "uninstall it, and subscribe with OLM Classic".to_owned(),
            ];
            self.decide(Code::RefusedByOlmV1, Some(minor), text.clone(), options);
            told.push(text);
        }
    }

    /// A range that the API server refuses cannot be applied, so the ClusterExtension stays as it is in the cluster.
    pub(super) fn say_what_the_api_server_refuses(&mut self) {
        let Some(text) = api_server_refusal(&self.trip.operator.range) else { return };
        let options = vec![
            "correct spec.source.catalog.version so that the API server accepts it".to_owned(),
            "leave it out: OLM v1 then takes the highest permitted version".to_owned(),
        ];
        self.decide(Code::RefusedByApiServer, None, text, options);
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
        let text = format!("the catalog of {minor} does not have the package `{}`", self.trip.operator.package);
        self.decide(Code::PackageGone, Some(minor), text, options);
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
        let text = format!("in the catalog of {minor}, no update leads from {}", self.at.bundle.name);
        self.decide(Code::Stranded, Some(minor), text, options);
        self.is_gone = true;
    }
}
