//! Checks of the objects of a cluster by themselves, without any catalog.

use olmdex_base::diag::{Finding, Rule};
use olmdex_version::masterminds::api_server_refusal;

use super::{AnyObject, Cluster, rules};
use crate::crd::{Crd, CrdError};

/// The findings about manifests that cannot be checked, from the warnings of [`super::read_objects`].
pub fn unreadable(warnings: &[String]) -> Vec<Finding> {
    let help = "write it as YAML or JSON, or remove it from the directory";
    warnings.iter().map(|warning| rules::MANIFEST_UNREADABLE.finding(warning).help(help)).collect()
}

/// Checks the ClusterExtensions of a cluster and the CustomResourceDefinitions among its objects, and counts the
/// definitions that can be read.
pub fn check(cluster: &Cluster, objects: &[AnyObject]) -> (Vec<Finding>, u64) {
    let (mut findings, mut n_definitions) = (Vec::new(), 0);
    for extension in &cluster.extensions {
        let mut add = |rule: &'static Rule, message: String, help: &str| {
            let message = format!("ClusterExtension {}: {message}", extension.name);
            let found = rule.finding(message).at(extension.place.clone()).of_package(extension.package.clone());
            findings.push(found.help(help));
        };
        if let Some(refusal) = api_server_refusal(&extension.version) {
            let help = "write it with comparisons and whole versions: `>=1.0.0 <2.0.0`";
            add(rules::EXTENSION_VERSION, refusal, help);
        }
        if let Some(Err(error)) = extension.selector.as_ref().map(super::LabelSelector::validate) {
            add(rules::EXTENSION_SELECTOR, error, "write it as a Kubernetes label selector");
        }
    }
    for object in objects {
        match Crd::from_json(&object.json) {
            Ok(_) => n_definitions += 1,
            Err(CrdError::OtherKind) => {}
            Err(error) => {
                let found = rules::DEFINITION_UNREADABLE.finding(format!("CustomResourceDefinition: {error}"));
                let help = "give it `metadata.name` and at least one of `spec.versions`";
                findings.push(found.at(object.place.clone()).help(help));
            }
        }
    }
    (findings, n_definitions)
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::cluster::{AnyObject, read_text};

    #[test]
    fn extensions_and_definitions_are_checked() {
        let extension = |version: &str, operator: &str| {
            let catalog = format!(
                "{{packageName: foo, version: '{version}', selector: {{matchExpressions: [{{key: a, operator: {operator}}}]}}}}"
            );
            let text = format!(
                "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {{name: foo}}\nspec: {{source: {{sourceType: Catalog, catalog: {catalog}}}}}\n"
            );
            let cluster = read_text("foo.yaml", text.as_bytes()).unwrap();
            check(&cluster, &[]).0.iter().map(|it| it.rule.id).collect::<Vec<_>>()
        };
        assert_eq!(extension(">=1.0.0 <2.0.0", "Exists"), [""; 0]);
        assert_eq!(extension("1.0 - 2.0", "Exists"), ["E1901"]);
        assert_eq!(extension("1.0.0", "Is"), ["E1902"]);
        let definition = |json: &str| {
            let place = olmdex_base::diag::Place::at_line("crd.yaml", 1);
            let object = AnyObject { json: json.to_owned(), place, text: None };
            check(&super::Cluster::default(), &[object]).0.iter().map(|it| it.rule.id).collect::<Vec<_>>()
        };
        assert_eq!(definition(r#"{"apiVersion": "v1", "kind": "Secret"}"#), [""; 0]);
        let kind = r#""apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition""#;
        assert_eq!(definition(&format!("{{{kind}, \"metadata\": {{\"name\": \"a.b\"}}}}")), ["E1903"]);
    }
}
