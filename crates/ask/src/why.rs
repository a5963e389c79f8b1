//! Why something is in a namespace: the chains of dependencies that lead to it.

use super::error::AskError;
use super::name::no_package;
use super::namespace::NamespaceQuestion;
use super::upgrade::Warn;
use olmdex_index::LightIndex;
use olmdex_olm::resolve::{IndexRows, Options, Verdict, WhyAnswer, chains, resolve};

/// The chains that lead to something.
#[derive(Debug)]
pub struct WhyAnswers {
    /// The operators in question, each with its chains. There are none if nothing brings one.
    pub answers: Vec<WhyAnswer>,
    /// Whether a Subscription was skipped, since its catalog is not available.
    pub has_skipped: bool,
}

impl NamespaceQuestion {
    /// Why operators of a package, or a bundle, are in the namespace.
    ///
    /// # Errors
    /// [`AskError::Unresolved`]; [`AskError::NoPackage`] if nothing has the name.
    pub fn why(
        self,
        index: &LightIndex,
        wanted: &str,
        options: &Options,
        warn: Warn<'_>,
    ) -> Result<WhyAnswers, AskError> {
        let (world, worlds) = self.world(index)?;
        worlds.warnings.iter().for_each(|it| warn(it));
        let rows = IndexRows::new(index, &world);
        let Verdict::Resolved(resolution) = resolve(&world, &rows, options)? else { return Err(AskError::Unresolved) };
        let mut answers = Vec::new();
        let new = resolution.operators.iter().map(|it| (&it.name, it.package.as_str()));
        let package_of = |name: &str| {
            let by_subscription = world.subscriptions.iter().find(|it| it.installed == name);
            by_subscription.map_or("", |it| it.package.as_str())
        };
        let kept = resolution.kept.iter().map(|it| (&it.name, package_of(&it.name)));
        for (name, package) in new.chain(kept).filter(|it| it.1 == wanted || *it.0 == wanted) {
            let chains = chains(&resolution, name);
            answers.push(WhyAnswer { operator: name.clone(), package: package.to_owned(), chains });
        }
        if answers.is_empty() {
            let known = index.names(None)?;
            if !known.packages.iter().chain(&known.bundles).any(|it| it == wanted) {
                return Err(no_package(index, wanted)?);
            }
        }
        Ok(WhyAnswers { answers, has_skipped: worlds.has_skipped })
    }
}
