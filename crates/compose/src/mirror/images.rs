//! The images that a mirror needs (`docs/behaviour/authoring.md` D.3, "related images"): those of the kept parts of
//! catalogs, and the additional ones of the configuration.

use std::collections::BTreeSet;

use super::catalog::{BundleFacts, Catalog};
use super::configuration::{AdditionalImage, Configuration};
use super::filter::{Filtered, PackageExtent};
use super::place::{Destination, Image, Mirrored, OutputError};
use super::verify::is_target;
use olmdex_base::diag::printable;
use olmdex_text::re2::Pattern;

/// The bundles that are kept, with their packages.
pub fn bundles<'c>(catalog: &'c Catalog, filtered: &'c Filtered) -> impl Iterator<Item = (&'c str, &'c BundleFacts)> {
    let kept = filtered.packages.iter().filter_map(|(name, kept)| Some((name.as_str(), kept.as_ref().ok()?)));
    kept.flat_map(move |(name, kept)| {
        let bundles = catalog.packages.get(name).map_or(&[] as &[BundleFacts], |it| &it.bundles);
        let is_kept = move |it: &&BundleFacts| match kept {
            PackageExtent::Whole => true,
            PackageExtent::Part(part) => part.bundles.contains(&it.name),
        };
        bundles.iter().filter(is_kept).map(move |it| (name, it))
    })
}

/// The images of the kept parts, each once.
pub fn images<'c>(catalog: &'c Catalog, filtered: &'c Filtered) -> BTreeSet<&'c str> {
    bundles(catalog, filtered)
        .flat_map(|it| it.1.images.iter().map(String::as_str))
        .filter(|it| !it.is_empty())
        .collect()
}

/// The images that a configuration blocks.
#[derive(Debug)]
pub struct BlockedImages<'d> {
    expressions: Vec<Pattern>,
    to: Option<&'d Destination>,
}

impl<'d> BlockedImages<'d> {
    /// Those of a configuration. The reader of the configuration has refused invalid expressions already.
    pub fn of(configuration: &Configuration, to: Option<&'d Destination>) -> Self {
        let expressions = configuration.blocked_images.iter().filter_map(|it| Pattern::parse(it).ok()).collect();
        Self { expressions, to }
    }

    /// Whether an expression matches the name of an image, or its name at the destination.
    pub fn has(&self, mirrored: &Mirrored) -> bool {
        let names = [Some(mirrored.image.to_string()), self.to.map(|to| to.of(mirrored).to_string())];
        self.expressions.iter().any(|pattern| names.iter().flatten().any(|name| pattern.is_match(name)))
    }
}

/// The images that a mirror needs, without the blocked ones.
#[derive(Debug, Default)]
pub struct MirrorImages {
    /// Those of kept bundles.
    pub(super) operator: BTreeSet<Mirrored>,
    /// The additional ones of the configuration.
    pub(super) generic: BTreeSet<Mirrored>,
    /// Why others are left out: their names are not valid.
    pub refused: Vec<OutputError>,
    /// The wishes of the configuration that are not listed, in words.
    pub(super) unlisted: Vec<&'static str>,
}

impl MirrorImages {
    /// The images of a configuration, and of the kept parts of its catalogs. An expression blocks an image by its name,
    /// and by its name at the destination if that is known.
    pub fn of<'c>(
        configuration: &Configuration,
        kept: impl IntoIterator<Item = (&'c Catalog, &'c Filtered)>,
        to: Option<&Destination>,
    ) -> Self {
        let blocked = BlockedImages::of(configuration, to);
        let mut all = Self { unlisted: configuration.unlisted.clone(), ..Self::default() };
        let take =
            |image: Result<Mirrored, OutputError>, into: &mut BTreeSet<Mirrored>, refused: &mut Vec<_>| match image {
                Ok(mirrored) if blocked.has(&mirrored) => {}
                Ok(mirrored) => {
                    into.insert(mirrored);
                }
                Err(error) => refused.push(error),
            };
        for name in kept.into_iter().flat_map(|(catalog, filtered)| images(catalog, filtered)) {
            take(mirrored(name), &mut all.operator, &mut all.refused);
        }
        for image in &configuration.additional_images {
            take(additional(image), &mut all.generic, &mut all.refused);
        }
        all
    }

    /// All of them, each once.
    pub fn all(&self) -> BTreeSet<&Mirrored> {
        self.operator.iter().chain(&self.generic).collect()
    }

    /// Their references at their origins, each once.
    pub(super) fn origins(&self) -> BTreeSet<&Image> {
        self.all().into_iter().map(|mirrored| &mirrored.image).collect()
    }
}

fn mirrored(name: &str) -> Result<Mirrored, OutputError> {
    let image = Image::parse(name).ok_or_else(|| OutputError::Reference(printable(name).into_owned()))?;
    Ok(Mirrored::from(image))
}

/// oc-mirror leaves out an image with an invalid target, too, and reports it when it collects images.
fn additional(image: &AdditionalImage) -> Result<Mirrored, OutputError> {
    let mut mirrored = mirrored(&image.name)?;
    if !is_target(&image.target_repo) {
        let (repo, image) = (printable(&image.target_repo).into_owned(), printable(&image.name).into_owned());
        return Err(OutputError::Target { repo, image });
    }
    image.target_repo.clone_into(&mut mirrored.target_repo);
    image.target_tag.clone_into(&mut mirrored.target_tag);
    Ok(mirrored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_call_makes_the_mapping_of_a_configuration() {
        let image = |name: &str, target_repo: &str| AdditionalImage {
            name: name.to_owned(),
            target_repo: target_repo.to_owned(),
            ..AdditionalImage::default()
        };
        let additional_images = vec![
            image("quay.io/a/b:v1", ""),
            image("quay.io/a/c:v1", "team/c"),
            image("quay.io/a/d:v1", "kept/away"),
            image("quay.io/a/e:v1", "team/e:v2"),
            image("quay.io/a/f@nothing", ""),
        ];
        let blocked_images = vec!["quay.io/a/b".to_owned(), "mirror.example.com/kept".to_owned()];
        let configuration = Configuration { additional_images, blocked_images, ..Configuration::default() };
        let to = Destination::parse("mirror.example.com", None).unwrap();
        let images = MirrorImages::of(&configuration, [], Some(&to));
        assert_eq!(images.mapping(&to), "docker://quay.io/a/c:v1=docker://mirror.example.com/team/c:v1\n");
        let refused: Vec<String> = images.refused.iter().map(ToString::to_string).collect();
        let target = "invalid targetRepo team/e:v2 for image quay.io/a/e:v1";
        assert_eq!(refused, [target, "`quay.io/a/f@nothing` is not an image reference"]);
        assert_eq!(MirrorImages::of(&configuration, [], None).references(), "quay.io/a/c:v1\nquay.io/a/d:v1\n");
    }
}
