//! The types of Go that opm, operator-sdk and Kubernetes decode manifests into, and whether a value fits one.
//!
//! The types are data (`types.txt`); how a decoder of Go goes through them is code, and exists once. A misfit has a
//! path, our words and those of the decoder.

mod decode;
mod misfit_words;
mod scalar;
mod table;

pub use decode::{Misfit, Problem};
pub use misfit_words::go_path;
pub use misfit_words::{Expected, go_type_error};
pub use scalar::STANDARD_BASE64;
pub use table::{Field, FieldKind, Form};

use crate::json::Value;

/// A type of Go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoType(&'static str);

impl GoType {
    /// A CustomResourceDefinition of `apiextensions.k8s.io/v1`.
    pub const DEFINITION: Self = Self("crd/v1.CustomResourceDefinition");
    /// One of `apiextensions.k8s.io/v1beta1`.
    pub const OLD_DEFINITION: Self = Self("crd/v1beta1.CustomResourceDefinition");
    /// A ClusterServiceVersion with all of its fields.
    pub const SERVICE_VERSION: Self = Self("olm/v1alpha1.ClusterServiceVersion");
    /// `apiVersion` and `kind` of an object.
    pub const TYPE_META: Self = Self("meta/v1.TypeMeta");
    /// `metadata` of an object.
    pub const METADATA: Self = Self("registry.metadata");
    /// The APIs that a ClusterServiceVersion owns and requires, as opm's registry reads them.
    pub const LISTED_APIS: Self = Self("registry.definitions");
    /// The deployments in the `spec` of a ClusterServiceVersion, as opm's registry reads them.
    pub const DEPLOYMENTS: Self = Self("registry.csvSpec");
    /// The images that a ClusterServiceVersion lists.
    pub const RELATED_IMAGES: Self = Self("[]declcfg.RelatedImage");
    /// The properties in an annotation.
    pub const PROPERTIES: Self = Self("[]registry.Property");
    /// The value of `olm.gvk`.
    pub const GVK: Self = Self("property.GVK");
    /// The value of a property of a type that OLM knows, but for `olm.bundle.object`.
    pub fn of_property(kind: &str) -> Option<Self> {
        Some(match kind {
            "olm.package" => Self::PACKAGE,
            "olm.package.required" => Self("property.PackageRequired"),
            "olm.gvk" => Self::GVK,
            "olm.gvk.required" => Self("property.GVKRequired"),
            "olm.channel" => Self("property.Channel"),
            "olm.csv.metadata" => Self("property.CSVMetadata"),
            _ => return None,
        })
    }

    /// The value of `olm.package`.
    pub const PACKAGE: Self = Self("property.Package");
    /// A definition that a ClusterServiceVersion owns or requires.
    pub const CRD_DESCRIPTION: Self = Self("olm/v1alpha1.CRDDescription");
    /// An API of a server that it owns or requires.
    pub const API_SERVICE_DESCRIPTION: Self = Self("olm/v1alpha1.APIServiceDescription");
    /// One of its links, and its provider.
    pub const LINK: Self = Self("olm/v1alpha1.AppLink");
    /// One of its maintainers.
    pub const MAINTAINER: Self = Self("olm/v1alpha1.Maintainer");
    /// One of its install modes.
    pub const INSTALL_MODE: Self = Self("olm/v1alpha1.InstallMode");
    /// One of its native APIs.
    pub const NATIVE_API: Self = Self("meta/v1.GroupVersionKind");
    /// An ImageSetConfiguration of v2 of oc-mirror.
    pub const IMAGE_SET: Self = Self("mirror/v2alpha1.ImageSetConfiguration");
    /// The same type with the fields of v1 added.
    pub const OLD_IMAGE_SET: Self = Self("mirror-old/v2alpha1.ImageSetConfiguration");
    /// A DeleteImageSetConfiguration of v2 of oc-mirror.
    pub const DELETE_IMAGE_SET: Self = Self("mirror/v2alpha1.DeleteImageSetConfiguration");
    /// The `mirror` of an ImageSetConfiguration.
    pub const MIRROR: Self = Self("mirror/v2alpha1.Mirror");
    /// One of its operators.
    pub const MIRRORED_OPERATOR: Self = Self("mirror/v2alpha1.Operator");
    /// One of its images.
    pub const MIRRORED_IMAGE: Self = Self("mirror/v2alpha1.Image");
    /// A text.
    pub const TEXT: Self = Self("string");
    /// A list of texts.
    pub const TEXTS: Self = Self("[]string");

    /// The fields of a type of the table that is an object, in their order.
    pub fn fields(self) -> &'static [Field] {
        table::fields(self.0)
    }

    /// The first value that does not fit, in the order of the text.
    pub fn misfit(self, value: Value<'_>, decoder: Decoder) -> Option<Misfit> {
        let mut first = None;
        decode::walk(value, table::form(self.0), decoder, &mut |it| {
            first = Some(it);
            false
        });
        first
    }

    /// The first value that does not fit, after the changes that opm makes to a document before it reads properties.
    pub fn misfit_of_sorted(self, value: Value<'_>) -> Option<Misfit> {
        // A value that fits in every order needs none.
        self.misfit(value, Decoder::Library)?;
        self.misfit(value, Decoder::Sorted)
    }

    /// All of them.
    pub fn misfits(self, value: Value<'_>, decoder: Decoder) -> Vec<Misfit> {
        let mut all = Vec::new();
        decode::walk(value, table::form(self.0), decoder, &mut |it| {
            all.push(it);
            true
        });
        all
    }
}

/// The decoder that reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoder {
    /// Go's own library: the case of keys does not matter.
    Library,
    /// The same behind a decoder without types, whose objects have sorted keys, each once, and whose numbers are
    /// floats.
    Sorted,
    /// The same behind a reader of YAML that sorts keys, told to refuse fields that the type does not have.
    Strict,
    /// The same behind a reader of YAML: numbers and truth values are texts where one is expected.
    Yaml,
    /// Kubernetes' library: keys are as the type has them.
    Kubernetes,
    /// The converter of objects that Kubernetes has decoded without types: keys are as the type has them.
    Converter,
}
