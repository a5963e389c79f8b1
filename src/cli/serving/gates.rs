//! Feature gates, as catalogd takes them: a list of names with `true` or `false`.

/// The states of gates; if a name is given several times, the last state counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Gates {
    /// Whether HTTP offers `metas`. By default it does here, and does not in catalogd.
    pub(super) metas: Option<bool>,
    /// Whether HTTP offers GraphQL.
    pub(super) graphql: Option<bool>,
}

const METAS: &str = "APIV1MetasHandler";
const GRAPHQL: &str = "GraphQLCatalogQueries";

pub(super) fn parse_gates(text: &str) -> Result<Gates, String> {
    let mut gates = Gates::default();
    for part in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let Some((name, value)) = part.split_once('=') else {
            return Err(format!("`{part}` has no value; write `{part}=true` or `{part}=false`"));
        };
        let value = match value.trim() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => true,
            "0" | "f" | "F" | "false" | "FALSE" | "False" => false,
            other => return Err(format!("`{other}` is neither `true` nor `false`")),
        };
        match name.trim() {
            METAS => gates.metas = Some(value),
            GRAPHQL if value && cfg!(not(feature = "graphql")) => {
                return Err(
                    "this build has no GraphQL; released binaries have it, and builds with `--features graphql`"
                        .to_owned(),
                );
            }
            GRAPHQL => gates.graphql = Some(value),
            other => return Err(format!("unknown gate `{other}`; the gates are {METAS} and {GRAPHQL}")),
        }
    }
    Ok(gates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_a_list_of_names_with_values() {
        for (text, metas, graphql) in [
            ("", None, None),
            ("APIV1MetasHandler=false", Some(false), None),
            ("APIV1MetasHandler=F, GraphQLCatalogQueries=0", Some(false), Some(false)),
            ("APIV1MetasHandler=true,APIV1MetasHandler=false", Some(false), None),
        ] {
            assert_eq!(parse_gates(text), Ok(Gates { metas, graphql }), "{text}");
        }
        for (text, says) in [
            ("APIV1MetasHandler", "has no value"),
            ("APIV1MetasHandler=yes", "`yes` is neither"),
            ("Other=true", "unknown gate `Other`; the gates are APIV1MetasHandler and GraphQLCatalogQueries"),
        ] {
            assert!(parse_gates(text).unwrap_err().contains(says), "{text}");
        }
        let open = parse_gates("GraphQLCatalogQueries=true");
        match cfg!(feature = "graphql") {
            true => assert_eq!(open.unwrap().graphql, Some(true)),
            false => assert!(open.unwrap_err().contains("`--features graphql`")),
        }
    }
}
