//! The schemas of all JSON output, and all rules of the program. The types of the answers live with their engines.

use std::collections::BTreeMap;

use schemars::JsonSchema;

pub use crate::ask::all_rules;

use crate::diag::envelope::{Envelope, FindingsMetadata, Metadata};
use crate::diag::json::FindingJson;
use crate::draw::ChannelGraph;
use crate::explain::{MessageExplanation, RuleExplanation};
use crate::index::query::{
    BundleDetail, BundleRow, CatalogRow, Change, ChannelDetail, ChannelRow, HistoryRow, Hit, ImageUse, Info, OwnedApi,
    PackageDetail, PackageRow, Provider, Requirer, SqlValue,
};
use crate::legacy::LegacyInfo;
use crate::resolve::{Dependencies, ResolutionAnswer, WhyAnswer};
use crate::upgrade::{Stay, Updates, UpgradePath, WhyNot, ZStream};

/// The JSON Schema of every kind of JSON output: the kind, and the schema of the whole document.
#[must_use]
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    fn of<T: JsonSchema>(kind: &'static str) -> (&'static str, schemars::Schema) {
        with::<T, Metadata>(kind)
    }
    fn with<T: JsonSchema, M: JsonSchema>(kind: &'static str) -> (&'static str, schemars::Schema) {
        let mut schema = schemars::schema_for!(Envelope<T, M>);
        schema.insert("title".to_owned(), kind.into());
        let with_kind = schema.pointer_mut("/properties/kind").and_then(serde_json::Value::as_object_mut);
        if let Some(kind_schema) = with_kind {
            kind_schema.insert("const".to_owned(), kind.into());
        }
        (kind, schema)
    }
    /// A document that is no list.
    fn alone<T: JsonSchema>(name: &'static str) -> (&'static str, schemars::Schema) {
        let mut schema = schemars::schema_for!(T);
        if let Some(kind) = schema.pointer_mut("/properties/kind").and_then(serde_json::Value::as_object_mut) {
            kind.insert("const".to_owned(), name.into());
        }
        (name, schema)
    }
    vec![
        of::<BundleDetail>("Bundle"),
        of::<BundleRow>("BundleList"),
        of::<CatalogRow>("CatalogList"),
        of::<Change>("CatalogDiff"),
        of::<Dependencies>("Dependencies"),
        of::<crate::namespace::NamespaceState>("Diagnosis"),
        of::<ImageUse>("Image"),
        of::<crate::oci::Presence>("ImagePresence"),
        of::<crate::mirror::Holding>("MirrorHolding"),
        of::<crate::mirror::UnionEdge>("MirrorUnion"),
        with::<crate::ask::DeltaStep, crate::ask::DeltaMetadata>("MirrorDelta"),
        of::<crate::lock::Drift>("LockDrift"),
        of::<crate::lock::LockChange>("LockChange"),
        of::<crate::lock::Outdated>("OutdatedList"),
        of::<MessageExplanation>("MessageExplanation"),
        of::<RuleExplanation>("RuleExplanation"),
        of::<Provider>("Provider"),
        of::<OwnedApi>("SharedApi"),
        of::<Requirer>("Requirement"),
        of::<WhyAnswer>("Why"),
        of::<ChannelDetail>("Channel"),
        of::<ChannelRow>("ChannelList"),
        with::<FindingJson, FindingsMetadata>("Findings"),
        of::<crate::mirror::FilterExplanation>("FilterExplanation"),
        of::<crate::edit::Simulation>("Simulation"),
        of::<crate::edit::PackageRepair>("Repairs"),
        of::<ChannelGraph>("Graph"),
        of::<HistoryRow>("History"),
        of::<crate::index::query::BlameRow>("Blame"),
        of::<crate::ask::Bisection>("BisectList"),
        of::<crate::ask::Stranding>("StrandedList"),
        of::<crate::ask::VersionStanding>("StandingList"),
        of::<crate::ask::InstalledOperator>("InstalledList"),
        of::<crate::openshift::LifecycleRow>("LifecycleList"),
        of::<crate::openshift::PlatformRoute>("PlatformRoute"),
        alone::<crate::plan::Plan>("Plan"),
        with::<crate::fleet::FleetCluster, crate::fleet::FleetMetadata>("Fleet"),
        alone::<crate::plan::PlanProgress>("PlanProgress"),
        of::<crate::ask::CatalogPresence>("Whereis"),
        of::<Stay>("CompatList"),
        of::<crate::readiness::Readiness>("V1Readiness"),
        of::<crate::permissions::BundlePermissions>("Permissions"),
        of::<Info>("IndexInfo"),
        of::<LegacyInfo>("LegacyInfo"),
        of::<PackageDetail>("Package"),
        of::<PackageRow>("PackageList"),
        of::<Hit>("SearchResult"),
        of::<ResolutionAnswer>("Resolution"),
        of::<BTreeMap<String, SqlValue>>("SqlResult"),
        of::<Updates>("Updates"),
        of::<UpgradePath>("UpgradePath"),
        of::<ZStream>("ZStream"),
        of::<WhyNot>("WhyNot"),
    ]
}
