//! Whether an operator can watch the namespaces that its OperatorGroup targets: OLM Classic asks only after it has
//! installed the operator, and then fails its ClusterServiceVersion.

use olmdex_index::query::InstallModes;

/// OLM's refusal of an operator in a namespace whose OperatorGroup targets these namespaces; an empty name stands for
/// all. `None` if the operator supports them.
pub fn unsupported_targets(modes: InstallModes, namespace: &str, targets: &[String]) -> Option<String> {
    let refusal = |mode: &str, what: &str| {
        Some(format!("{mode} InstallModeType not supported, cannot configure to watch {what}"))
    };
    match targets {
        [] => None,
        [only] if only.is_empty() && !modes.all_namespaces => refusal("AllNamespaces", "all namespaces"),
        [only] if only == namespace && !modes.own_namespace => refusal("OwnNamespace", "own namespace"),
        [only] if !only.is_empty() && only != namespace && !modes.single_namespace => {
            refusal("SingleNamespace", "one namespace")
        }
        [_] => None,
        several if !modes.multi_namespace => refusal("MultiNamespace", &format!("{} namespaces", several.len())),
        several if several.iter().any(|it| it == namespace) && !modes.own_namespace => {
            refusal("OwnNamespace", "own namespace")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_compared_with_targets_as_olm_does() {
        // The letters stand for the modes own, single, multi and all.
        for (modes, targets, refused) in [
            ("a", "", ""),
            ("osm", "", "AllNamespaces"),
            ("a", "till", "OwnNamespace"),
            ("o", "till", ""),
            ("o", "shop", "SingleNamespace"),
            ("s", "shop", ""),
            ("osa", "shop,till", "MultiNamespace"),
            ("m", "shop,till", "OwnNamespace"),
            ("m", "shop,stock", ""),
            ("om", "shop,till", ""),
        ] {
            let has = |letter: char| modes.contains(letter);
            let install_modes = InstallModes {
                own_namespace: has('o'),
                single_namespace: has('s'),
                multi_namespace: has('m'),
                all_namespaces: has('a'),
            };
            let targets: Vec<String> = targets.split(',').map(str::to_owned).collect();
            let refusal = unsupported_targets(install_modes, "till", &targets).unwrap_or_default();
            assert_eq!(refusal.split(' ').next(), Some(refused), "{modes} {targets:?}");
        }
    }
}
