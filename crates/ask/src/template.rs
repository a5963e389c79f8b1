//! The findings about a template: those of its own rules, and those of the catalog whose graph it holds.

use std::sync::Arc;

use olmdex_base::diag::{Finding, Rule};
use olmdex_fbc::Input;
use olmdex_olm::upgrade::check_catalog;
use olmdex_open::template::{BundleImages, Template};
use olmdex_rules::check::rules::{DANGLING_ENTRY, DEPRECATED_BUNDLE_NOT_FOUND};

/// The findings about a template, and its catalog.
#[derive(Debug, Default)]
pub struct JudgedTemplate {
    /// All findings, at their places in the template.
    pub findings: Vec<Finding>,
    /// The catalog of its graph, if it can be read.
    pub catalog: Option<Input>,
    /// Its images.
    pub images: Vec<String>,
    /// How many of them were not read.
    pub n_unread: usize,
    /// The number of its entries whose names have no version: nothing about their bundles was judged.
    pub n_names: usize,
}

/// Judges a template by the rules of templates and, as far as its graph is known, of catalogs. `bundles` are those of
/// its images, if the user said where they are.
pub fn judge_template(shown: &str, text: Arc<[u8]>, bundles: Option<&dyn BundleImages>) -> JudgedTemplate {
    let (template, of_images) = match Template::read_graph(shown, text, None) {
        Ok(read) => read,
        Err(findings) => return JudgedTemplate { findings, ..JudgedTemplate::default() },
    };
    let read = template.catalog(bundles);
    let images: Vec<String> = template.images().into_iter().map(str::to_owned).collect();
    let (catalog, missing, unmade) = match read {
        Ok((catalog, missing)) => (Some(catalog), missing, Vec::new()),
        Err(findings) => (None, Vec::new(), findings),
    };
    let n_unread = if bundles.is_some() && catalog.is_some() { missing.len() } else { images.len() };
    let mut findings = [template.remarks, of_images, unmade].concat();
    let mut n_names = 0;
    if let Some(input) = catalog.as_ref().filter(|input| input.remarks.is_empty()) {
        let mut found = check_catalog(input, None).findings;
        // Each name with a version has a bundle there.
        n_names = found.iter().filter(|finding| finding.rule.id == DANGLING_ENTRY.id).count();
        let is_known =
            |rule: &Rule| rule.id != DANGLING_ENTRY.id && (n_names == 0 || rule.id != DEPRECATED_BUNDLE_NOT_FOUND.id);
        found.retain(|finding| is_known(finding.rule));
        findings.extend(found);
    }
    JudgedTemplate { findings, catalog, images, n_unread, n_names }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::building::builder;
    use super::super::graph_check::{GraphCheckQuestion, JudgedCatalog};
    use super::*;
    use olmdex_fbc::Format;
    use olmdex_index::{CatalogSpec, Mode};
    use olmdex_open::template::{Kind, convert};

    /// The findings about the graph of a catalog: rules and messages.
    fn of_graph(input: &Input) -> Vec<String> {
        let mut builder = builder();
        let import = builder.add_catalog(&CatalogSpec::default(), input, Mode::Tolerant).unwrap();
        let findings = import.report.findings;
        let now = JudgedCatalog { index: builder.into_index().unwrap().into(), findings };
        let found = GraphCheckQuestion::default().answer(now, None).unwrap().findings;
        // Bundles are in images.
        let is_of_graph =
            |finding: &&Finding| !finding.rule.id.starts_with("E03") && !finding.rule.id.starts_with("W05");
        found.iter().filter(is_of_graph).map(|finding| format!("{} {}", finding.rule.id, finding.message)).collect()
    }

    #[test]
    fn a_template_has_the_findings_of_its_catalog() {
        // Their entries name no bundles that the catalogs have.
        let others = ["causes-to-name", "skipped-skipper"];
        let catalogs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/catalogs");
        let mut n_findings = 0;
        for catalog in catalogs.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            if others.iter().any(|name| catalog.ends_with(name)) || !catalog.is_dir() {
                continue;
            }
            let input = Input::directory(&catalog).unwrap();
            let expected = of_graph(&input);
            n_findings += expected.len();
            for format in [Format::Json, Format::Yaml] {
                let mut text = Vec::new();
                convert(&input, Kind::Basic, format, &mut text).unwrap();
                let judged = judge_template("t", Arc::from(text), None);
                assert_eq!(of_graph(&judged.catalog.unwrap()), expected, "{}", catalog.display());
            }
        }
        assert!(n_findings > 10, "{n_findings}");
    }
}
