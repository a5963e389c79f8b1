//! A call of a method by its path: bytes in, bytes out (`docs/behaviour/serving.md` B.2).

use prost::Message;

use super::descriptor::FILES;
use super::encoded::Encoded;
use super::message::{Bundle, Texts};
use super::{Refusal, Registry};
use olmdex_text::api::Api;

/// The target of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A question about packages and bundles.
    Registry(RegistryMethod),
    /// `ExperimentalListPackageCustomSchemas`
    CustomSchemas,
    /// Whether the server is well.
    HealthCheck,
    /// Either version of the reflection service.
    Reflection,
}

/// The methods of `api.Registry`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are named as the protocol names them")]
pub enum RegistryMethod {
    ListPackages,
    GetPackage,
    GetBundle,
    GetBundleForChannel,
    GetChannelEntriesThatReplace,
    GetBundleThatReplaces,
    GetChannelEntriesThatProvide,
    GetLatestChannelEntriesThatProvide,
    GetDefaultBundleThatProvides,
    ListBundles,
}

impl RegistryMethod {
    /// Whether it asks for one package or bundle by its name, which takes a fraction of a millisecond.
    pub(crate) fn is_about_one(self) -> bool {
        matches!(self, Self::GetPackage | Self::GetBundle | Self::GetBundleForChannel)
    }
}

/// Finds the method that a path names.
///
/// # Errors
/// The message for a client that asks for a method that is not offered.
pub fn method(path: &str) -> Result<Method, String> {
    use RegistryMethod as R;
    let malformed = || format!("malformed method name: {}", olmdex_version::Quoted(path));
    let (service, name) = path.strip_prefix('/').and_then(|it| it.rsplit_once('/')).ok_or_else(malformed)?;
    let found = match (service, name) {
        ("api.Registry", "ListPackages") => Method::Registry(R::ListPackages),
        ("api.Registry", "GetPackage") => Method::Registry(R::GetPackage),
        ("api.Registry", "GetBundle") => Method::Registry(R::GetBundle),
        ("api.Registry", "GetBundleForChannel") => Method::Registry(R::GetBundleForChannel),
        ("api.Registry", "GetChannelEntriesThatReplace") => Method::Registry(R::GetChannelEntriesThatReplace),
        ("api.Registry", "GetBundleThatReplaces") => Method::Registry(R::GetBundleThatReplaces),
        ("api.Registry", "GetChannelEntriesThatProvide") => Method::Registry(R::GetChannelEntriesThatProvide),
        ("api.Registry", "GetLatestChannelEntriesThatProvide") => {
            Method::Registry(R::GetLatestChannelEntriesThatProvide)
        }
        ("api.Registry", "GetDefaultBundleThatProvides") => Method::Registry(R::GetDefaultBundleThatProvides),
        ("api.Registry", "ListBundles") => Method::Registry(R::ListBundles),
        ("api.ExperimentalRegistry", "ExperimentalListPackageCustomSchemas") => Method::CustomSchemas,
        ("grpc.health.v1.Health", "Check") => Method::HealthCheck,
        (
            "grpc.reflection.v1.ServerReflection" | "grpc.reflection.v1alpha.ServerReflection",
            "ServerReflectionInfo",
        ) => Method::Reflection,
        _ => {
            return Err(match FILES.iter().find_map(|file| file.method(service, name)) {
                Some(true) => format!("method {name} not implemented"),
                Some(false) => format!("unknown method {name} for service {service}"),
                None => format!("unknown service {service}"),
            });
        }
    };
    Ok(found)
}

impl Registry<'_> {
    /// Answers a question about packages and bundles: hands out messages until `each` says no.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn call(
        &self,
        method: RegistryMethod,
        question: &Texts,
        mut each: impl FnMut(Encoded) -> bool,
    ) -> Result<(), Refusal> {
        use RegistryMethod as R;
        let Texts { first, second, third } = question;
        let api = || Api { group: first.clone(), version: second.clone(), kind: third.clone() };
        match method {
            R::ListPackages => all(&self.list_packages()?, each),
            R::GetPackage => all(&[self.package(first)?], each),
            R::GetBundle => one(self.bundle(first, second, third)?, each),
            R::GetBundleForChannel => one(self.bundle_for_channel(first, second)?, each),
            R::GetChannelEntriesThatReplace => all(&self.entries_that_replace(first)?, each),
            R::GetBundleThatReplaces => one(self.bundle_that_replaces(first, second, third)?, each),
            R::GetChannelEntriesThatProvide => all(&self.entries_that_provide(&api())?, each),
            R::GetLatestChannelEntriesThatProvide => all(&self.latest_entries_that_provide(&api())?, each),
            R::GetDefaultBundleThatProvides => one(self.default_bundle_that_provides(&api())?, each),
            R::ListBundles => self.list_bundles(|bundle| each(Encoded::of_bundle(bundle)))?,
        }
        Ok(())
    }
}

fn one(bundle: Bundle, mut each: impl FnMut(Encoded) -> bool) {
    each(Encoded::of_bundle(bundle));
}

fn all<M: Message>(messages: &[M], mut each: impl FnMut(Encoded) -> bool) {
    for message in messages {
        if !each(Encoded::of(message)) {
            break;
        }
    }
}
