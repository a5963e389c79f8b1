//! A Dockerfile that puts a catalog into an image.

use std::collections::BTreeMap;

/// The image that serves a catalog by default.
pub const DEFAULT_IMAGE: &str = "quay.io/operator-framework/opm:latest";

/// The parts of a Dockerfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dockerfile<'d> {
    /// The base image of the catalog; `scratch` for an image without a server.
    pub base: &'d str,
    /// The image whose opm builds the cache.
    pub builder: &'d str,
    /// Labels in addition to that of the catalog's directory.
    pub labels: &'d BTreeMap<String, String>,
}

/// Reads `KEY=VALUE,…`; if a key occurs several times, the last value counts.
///
/// # Errors
/// The word that is not a label.
pub fn parse_labels(texts: &[String]) -> Result<BTreeMap<String, String>, String> {
    let mut labels = BTreeMap::new();
    for word in texts.iter().flat_map(|text| text.split(',')) {
        match word.split_once('=') {
            Some((key, value)) if !key.is_empty() && !word.contains(['"', '\n', '\r', '\\']) => {
                labels.insert(key.to_owned(), value.to_owned());
            }
            _ => return Err(word.to_owned()),
        }
    }
    Ok(labels)
}

impl Dockerfile<'_> {
    /// Its text, beside the directory of the catalog. The instructions are those that opm writes.
    pub fn text(&self, directory: &str) -> String {
        let Self { base, builder, labels } = self;
        let mut text = format!(
            "# Needs /bin/opm, to fill the cache.\nFROM {builder} as builder\n\n\
             # The catalog, and the cache that its server starts from.\nADD {directory} /configs\n\
             RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]\n\nFROM {base}\n"
        );
        text.push_str(match *base {
            "scratch" => {
                "# There is no server in this image. A CatalogSource of OLM Classic says where the catalog is:\n\
                 #   spec:\n#     grpcPodConfig:\n#       extractContent:\n#         catalogDir: /configs\n"
            }
            _ => {
                "# Needs /bin/opm, to serve the catalog.\n\nENTRYPOINT [\"/bin/opm\"]\n\
                 CMD [\"serve\", \"/configs\", \"--cache-dir=/tmp/cache\"]\n"
            }
        });
        text.push_str(
            "\nCOPY --from=builder /configs /configs\nCOPY --from=builder /tmp/cache /tmp/cache\n\n\
             # Tells readers of the image where the catalog is.\n\
             LABEL operators.operatorframework.io.index.configs.v1=/configs\n",
        );
        if !labels.is_empty() {
            text.push('\n');
        }
        for (key, value) in *labels {
            text.push_str(&format!("LABEL \"{key}\"=\"{value}\"\n"));
        }
        text
    }
}
