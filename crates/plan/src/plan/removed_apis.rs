//! APIs that the cluster loses on its way, and the clients that still request them.

use super::answer::{Blocker, Plan};
use super::code::Code;
use super::platform_state::blocker;
use super::question::PlanQuestion;
use olmdex_base::diag::counted;
use olmdex_constraint::openshift::Minor;
use olmdex_rules::cluster::{ApiClient, ApiRequestCount};
use olmdex_rules::openshift::coerce;

/// Clients that request every API, because they manage all objects. They stop by themselves when an API is gone.
const ASK_FOR_ALL: [&str; 4] = [
    "system:serviceaccount:kube-system:generic-garbage-collector",
    "system:serviceaccount:kube-system:namespace-controller",
    "system:kube-controller-manager",
    "system:cluster-policy-controller",
];

/// The highest number of clients that are named.
const MAX_NAMED: usize = 5;

pub(super) fn add(question: &PlanQuestion<'_>, path: &[Minor], plan: &mut Plan) {
    let found = question.cluster.api_requests.iter().filter_map(|it| {
        let at = lost_at(it, path)?;
        removed(it, at, plan)
    });
    let found: Vec<Blocker> = found.collect();
    plan.blockers.extend(found);
}

/// The first version on the way without an API that the cluster has.
fn lost_at(api: &ApiRequestCount, path: &[Minor]) -> Option<Minor> {
    let removed_in = coerce(&api.removed_in)?;
    let has = |it: &&Minor| it.kubernetes().is_before(removed_in);
    path.first().filter(has)?;
    path.iter().find(|it| !has(it)).copied()
}

fn removed(api: &ApiRequestCount, at: Minor, plan: &Plan) -> Option<Blocker> {
    let clients: Vec<&ApiClient> = api.clients.iter().filter(|it| !ASK_FOR_ALL.contains(&it.user.as_str())).collect();
    let reported = api.clients.iter().fold(0_u64, |sum, it| sum.saturating_add(it.requests));
    // A cluster reports only the most frequent clients.
    let n_others = api.requests.saturating_sub(reported);
    if clients.is_empty() && n_others == 0 {
        return None;
    }
    let mut words: Vec<String> = clients.iter().take(MAX_NAMED).map(|it| client_words(it, plan)).collect();
    words.extend((clients.len() > MAX_NAMED).then(|| format!("{} more", clients.len() - MAX_NAMED)));
    words.extend((n_others > 0).then(|| format!("others ({})", counted(n_others, "request"))));
    let text = format!(
        "OpenShift {at} no longer has {} (removed in Kubernetes {}), but within the last 24 hours it was requested by \
        {}",
        api.name,
        api.removed_in,
        words.join("; ")
    );
    let lift = "move these clients to a version of the API that stays: update them, or change their manifests";
    let found = blocker(Code::ApiRemoved, &api.name, Some(at), text, lift, api.place.to_string());
    Some(Blocker { value: Some(api.removed_in.clone()), ..found })
}

/// A client in words; a service account comes with the operators of its namespace.
fn client_words(client: &ApiClient, plan: &Plan) -> String {
    let namespace = client.user.strip_prefix("system:serviceaccount:").and_then(|it| it.split(':').next());
    let own = plan.operators.iter().filter(|it| namespace.is_some() && it.namespace.as_deref() == namespace);
    let own: Vec<String> = own.map(|it| format!("`{}`", it.package)).collect();
    let mut details = vec![counted(client.requests, "request")];
    details.extend(Some(&client.agent).filter(|it| !it.is_empty()).cloned());
    details.extend((!own.is_empty()).then(|| format!("in the namespace of {}", own.join(", "))));
    format!("{} ({})", client.user, details.join(", "))
}
