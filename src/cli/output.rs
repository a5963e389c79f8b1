//! The envelope of JSON output, and the published schemas.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::asked::AnswerFormat;
use super::deps::Dependencies;
use super::error::CommandError;
use super::explain_message::MessageExplanation;
use super::images::ImageUse;
use super::provides::{Provider, SharedApi};
use super::requires::Requirer;
use super::sheet::Sheet;
use super::table;
use super::table::Row as _;
use super::why::WhyAnswer;
use crate::diag::json::FindingJson;
use crate::draw::ChannelGraph;
use crate::index::query::{
    BundleDetail, BundleRow, CatalogRow, Change, ChannelDetail, ChannelRow, HistoryRow, Hit, Info, PackageDetail,
    PackageRow, SqlValue,
};
use crate::legacy::LegacyInfo;
use crate::resolve::ResolutionAnswer;
use crate::upgrade::{Stay, Updates, UpgradePath, WhyNot, ZStream};

/// This program's version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What every JSON output is wrapped in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope<T, M = Metadata> {
    /// Version of the output's form: `olmdex/v1`.
    pub api_version: String,
    /// What the items are.
    pub kind: String,
    /// About the answer as a whole.
    pub metadata: M,
    /// The answer.
    pub items: Vec<T>,
}

/// About an answer as a whole.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// How many items there are.
    pub count: usize,
}

/// About findings as a whole.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingsMetadata {
    /// How many items there are.
    pub count: usize,
    /// How many existing objects were looked at; only if some were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<usize>,
    /// The packages of the catalog that own each definition; only if a catalog was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owners: Option<BTreeMap<String, Vec<String>>>,
}

impl<T: Serialize> Envelope<T> {
    pub(crate) fn new(kind: &str, items: Vec<T>) -> Self {
        let metadata = Metadata { count: items.len() };
        Self::with(kind, metadata, items)
    }
}

impl<T: Serialize, M: Serialize> Envelope<T, M> {
    pub(crate) fn with(kind: &str, metadata: M, items: Vec<T>) -> Self {
        Self { api_version: "olmdex/v1".to_owned(), kind: kind.to_owned(), metadata, items }
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}

/// Prints answers; the sheets are for people.
pub(crate) fn print_answers<T: Serialize>(
    format: AnswerFormat,
    kind: &str,
    answers: Vec<T>,
    sheet: impl Fn(&T) -> Sheet,
) -> Result<(), CommandError> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match format {
        AnswerFormat::Json => Envelope::new(kind, answers).write(&mut out)?,
        AnswerFormat::Yaml => table::write_yaml(&Envelope::new(kind, answers), &mut out)?,
        AnswerFormat::Text => {
            for (idx, answer) in answers.iter().enumerate() {
                if idx > 0 {
                    writeln!(out)?;
                }
                sheet(answer).write(&mut out)?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

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
    vec![
        of::<BundleDetail>("Bundle"),
        of::<BundleRow>(BundleRow::KIND),
        of::<CatalogRow>(CatalogRow::KIND),
        of::<Change>(Change::KIND),
        of::<Dependencies>("Dependencies"),
        of::<ImageUse>("Image"),
        of::<MessageExplanation>("MessageExplanation"),
        of::<Provider>(Provider::KIND),
        of::<SharedApi>(SharedApi::KIND),
        of::<Requirer>(Requirer::KIND),
        of::<WhyAnswer>("Why"),
        of::<ChannelDetail>("Channel"),
        of::<ChannelRow>(ChannelRow::KIND),
        with::<FindingJson, FindingsMetadata>("Findings"),
        of::<ChannelGraph>("Graph"),
        of::<HistoryRow>(HistoryRow::KIND),
        of::<Stay>(Stay::KIND),
        of::<Info>("IndexInfo"),
        of::<LegacyInfo>("LegacyInfo"),
        of::<PackageDetail>("Package"),
        of::<PackageRow>(PackageRow::KIND),
        of::<Hit>(Hit::KIND),
        of::<ResolutionAnswer>("Resolution"),
        of::<BTreeMap<String, SqlValue>>("SqlResult"),
        of::<Updates>("Updates"),
        of::<UpgradePath>("UpgradePath"),
        of::<ZStream>("ZStream"),
        of::<WhyNot>("WhyNot"),
    ]
}
