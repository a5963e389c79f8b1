//! APIRequestCounts: the clients that still use an API which a later version of Kubernetes does not have.

use std::collections::BTreeMap;

use super::object::Object;
use olmdex_base::diag::Place;
use olmdex_text::json::Value;

/// A client of an API.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApiClient {
    /// The user, such as `system:serviceaccount:NAMESPACE:NAME`.
    pub user: String,
    /// The program, or empty.
    pub agent: String,
    /// How often, within the last 24 hours.
    pub requests: u64,
}

/// The requests for one version of an API.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ApiRequestCount {
    /// `RESOURCE.VERSION.GROUP`
    pub name: String,
    /// The version of Kubernetes that does not have it any more, such as `1.32`, or empty.
    pub removed_in: String,
    /// How often it was asked for, within the last 24 hours.
    pub requests: u64,
    /// The clients, the most frequent first; a cluster reports only a limited number.
    pub clients: Vec<ApiClient>,
    /// The place where it is written.
    pub place: Place,
}

impl ApiRequestCount {
    pub(super) fn read(object: &Object<'_>) -> Self {
        let hours = object.items(&["status", "last24h"]);
        // The present hour is one of the last 24, unless they were left out.
        let hours = if hours.is_empty() { object.at(&["status", "currentHour"]).into_iter().collect() } else { hours };
        let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
        for node in hours.iter().flat_map(|it| below(*it, "byNode")) {
            for user in below(node, "byUser") {
                let count = counts.entry((user.text_of("username"), user.text_of("userAgent"))).or_default();
                *count = count.saturating_add(number(user.get("requestCount")));
            }
        }
        let mut clients: Vec<ApiClient> =
            counts.into_iter().map(|((user, agent), requests)| ApiClient { user, agent, requests }).collect();
        clients.retain(|it| it.requests > 0);
        clients.sort_by_key(|it| std::cmp::Reverse(it.requests));
        Self {
            name: object.name(),
            removed_in: object.text(&["status", "removedInRelease"]),
            requests: number(object.at(&["status", "requestCount"])),
            clients,
            place: object.place.clone(),
        }
    }
}

/// The items of a list in a value.
fn below<'d>(of: Value<'d>, key: &str) -> Vec<Value<'d>> {
    of.get(key).map(|it| it.items().collect()).unwrap_or_default()
}

/// A count; a value that is not a number counts as 0.
fn number(value: Option<Value<'_>>) -> u64 {
    value.and_then(|it| it.raw().parse().ok()).unwrap_or_default()
}
