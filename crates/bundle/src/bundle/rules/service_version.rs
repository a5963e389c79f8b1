//! A ClusterServiceVersion with the fields that several validators look at.

use super::contents::Object;
use super::node::Field;
use super::problem::{At, annotation, steps};
use olmdex_fbc::{Api, Spot};

/// operator-sdk's type of most findings about a ClusterServiceVersion.
pub(super) const KIND: &str = "CSVFileNotValid";

/// A ClusterServiceVersion.
#[derive(Clone, Copy)]
pub(super) struct Csv<'a> {
    pub(super) object: Object<'a>,
    pub(super) node: Field<'a>,
}

/// An API that a ClusterServiceVersion lists.
pub(super) struct CsvApi<'a> {
    pub(super) idx: usize,
    pub(super) name: String,
    pub(super) gvk: Api,
    pub(super) node: Field<'a>,
}

impl<'a> Csv<'a> {
    pub(super) fn new(object: Object<'a>) -> Self {
        Self { object, node: Field(Some(object.value)) }
    }

    pub(super) fn name(&self) -> String {
        self.node.at("metadata.name").text()
    }

    pub(super) fn spec(&self, path: &str) -> Field<'a> {
        self.node.get("spec").at(path)
    }

    pub(super) fn annotation(&self, name: &str) -> Option<String> {
        let value = self.node.at("metadata.annotations").exact(name);
        value.is_set().then(|| value.text())
    }

    /// The definitions listed as `owned` or `required`. The group is the part behind the first dot of the name.
    pub(super) fn definitions(&self, which: &str) -> Vec<CsvApi<'a>> {
        let listed = |(idx, node): (usize, Field<'a>)| {
            let name = node.text_of("name");
            let group = name.split_once('.').map_or(name.as_str(), |(_, group)| group).to_owned();
            let gvk = Api { group, version: node.text_of("version"), kind: node.text_of("kind") };
            CsvApi { idx, name, gvk, node }
        };
        self.spec("customresourcedefinitions").get(which).items().enumerate().map(listed).collect()
    }

    /// The APIs of servers that it owns.
    pub(super) fn services(&self) -> impl Iterator<Item = Api> + use<'a> {
        self.spec("apiservicedefinitions.owned").items().map(|it| Api {
            group: it.text_of("group"),
            version: it.text_of("version"),
            kind: it.text_of("kind"),
        })
    }

    /// The rules of `permissions` or `clusterPermissions`, each with the number of its permission and its own.
    pub(super) fn rules(&self, which: &str) -> Vec<(usize, usize, Field<'a>)> {
        let permissions = self.spec("install.spec").get(which).items().enumerate();
        let rules =
            |(at, it): (usize, Field<'a>)| it.get("rules").items().enumerate().map(move |(idx, it)| (at, idx, it));
        permissions.flat_map(rules).collect()
    }

    pub(super) fn at(&self, path: &str) -> At {
        At::File(self.object.file, Spot::Path(steps(path)))
    }

    pub(super) fn at_annotation(&self, name: &str) -> At {
        At::File(self.object.file, annotation(name))
    }
}
