//! The cluster's own objections to its update.

use super::answer::{Blocker, Decision, Plan, StepKind, Unknown};
use super::code::Code;
use super::inputs::recommended;
use super::question::PlanQuestion;
use olmdex_constraint::openshift::Minor;
use olmdex_olm::namespace::merge_patch;
use olmdex_rules::cluster::Condition;
use olmdex_rules::openshift::{Goal, Risk, platform_path};

/// Adds the objections of the cluster.
pub(super) fn add(question: &PlanQuestion<'_>, path: &[Minor], plan: &mut Plan) {
    let Some(next) = path.get(1).copied() else { return };
    cluster_operators(question, next, plan);
    cluster_version(question, next, plan);
    gates(question, next, plan);
    pools(question, plan);
    updates(question, next, plan);
}

/// Removes the blockers and decisions that count as settled.
pub(super) fn settle(question: &PlanQuestion<'_>, plan: &mut Plan) {
    let assumed = |code: &Code, subject: &Option<String>| {
        let full = format!("{code}:{}", subject.as_deref().unwrap_or_default());
        question.assume.iter().any(|it| it == code.as_str() || *it == full)
    };
    plan.blockers.retain(|it| !assumed(&it.code, &it.subject));
    plan.decisions.retain(|it| !assumed(&it.code, &it.subject));
}

pub(super) fn blocker(
    code: Code,
    subject: &str,
    platform: Option<Minor>,
    text: String,
    lift: &str,
    place: String,
) -> Blocker {
    Blocker {
        code,
        subject: Some(subject.to_owned()),
        platform: platform.map(|it| it.to_string()),
        value: None,
        text,
        lifted_by: None,
        lift: lift.to_owned(),
        place,
        has_way: true,
        verified: None,
    }
}

fn cluster_operators(question: &PlanQuestion<'_>, next: Minor, plan: &mut Plan) {
    let mut found = Vec::new();
    for operator in &question.cluster.cluster_operators {
        let place = operator.place.to_string();
        if Condition::is(&operator.conditions, "Degraded", "True") {
            let message =
                Condition::find(&operator.conditions, "Degraded").map(|it| it.message.clone()).unwrap_or_default();
            let lift = "fix it first: the update waits for a healthy platform";
            found.push(blocker(Code::ClusterOperatorDegraded, &operator.name, None, message, lift, place.clone()));
        }
        let Some(condition) = Condition::find(&operator.conditions, "Upgradeable").filter(|it| it.status == "False")
        else {
            continue;
        };
        let message = condition.message.clone();
        if message.contains("Waiting for updates to take effect") {
            let lift = "wait: OLM itself is being updated";
            found.push(blocker(Code::OlmUpdating, &operator.name, Some(next), message, lift, place));
            continue;
        }
        if is_explained(&message, plan) {
            continue;
        }
        let is_olm = matches!(operator.name.as_str(), "operator-lifecycle-manager" | "olm");
        let lift = if is_olm {
            "it names operators that the input lacks: check them, or add their objects to the input"
        } else {
            "follow its message"
        };
        let mut it = blocker(Code::ClusterOperator, &operator.name, Some(next), message, lift, place);
        it.value = Some(condition.reason.clone()).filter(|it| !it.is_empty());
        it.has_way = false;
        found.push(it);
    }
    plan.blockers.extend(found);
}

/// Whether all things that a message of OLM names are among the blockers already.
fn is_explained(message: &str, plan: &Plan) -> bool {
    let is_known = |line: &str| {
        plan.blockers.iter().any(|it| {
            it.subject.is_some()
                && !it.text.is_empty()
                && (line.contains(&it.text) || it.text.contains(line.trim_start_matches("- ").trim()))
        })
    };
    let items: Vec<&str> = message.lines().filter(|it| it.trim_start().starts_with("- ")).collect();
    if items.is_empty() {
        // OLM v1 lists bundles in one line.
        let found = plan.blockers.iter().filter(|it| it.text.contains("for ClusterExtension"));
        let named: Vec<String> = found
            .filter_map(|it| {
                Some(it.text.split(" is ").next()?.trim_start_matches("maximum supported OCP version for ").to_owned())
            })
            .collect();
        let n_named = message.matches("for ClusterExtension \"").count();
        return n_named > 0 && named.iter().filter(|it| message.contains(it.as_str())).count() >= n_named;
    }
    items.iter().all(|it| is_known(it))
}

/// The objections of the ClusterVersion itself: a running update, a refused release, and reasons that no other object
/// gives.
fn cluster_version(question: &PlanQuestion<'_>, next: Minor, plan: &mut Plan) {
    let Some(version) = &question.cluster.cluster_version else { return };
    let place = version.place.to_string();
    let subject = "version";
    if !version.desired.is_empty() && version.desired != version.version {
        let text = format!("the update from {} to {} is not finished", version.version, version.desired);
        let lift = "wait until it is finished, then plan again";
        plan.blockers.push(blocker(Code::PlatformUpdating, subject, None, text, lift, place.clone()));
    }
    let refused = |kind: &str| Condition::find(&version.conditions, kind).filter(|it| it.status == "False");
    if let Some(it) = refused("ReleaseAccepted") {
        let lift = "follow its message, or abandon the release: oc adm upgrade --clear";
        let text = it.message.clone();
        plan.blockers.push(blocker(Code::ReleaseNotAccepted, subject, None, text, lift, place.clone()));
    }
    if let Some(it) = refused("RetrievedUpdates") {
        let text = format!("the cluster could not ask for its updates ({}): {}", it.reason, it.message);
        plan.unknowns.push(Unknown::new(Code::UpdatesNotRetrieved, None, Some(next), text));
    }
    if let Some(it) = refused("Upgradeable") {
        let closed: Vec<&String> = question.cluster.admin_gates.closed(question.from).map(|it| &it.1).collect();
        let is_said = |part: &str| {
            let of_operator = question.cluster.cluster_operators.iter().any(|operator| {
                Condition::is(&operator.conditions, "Upgradeable", "False")
                    && part.contains(&format!("Cluster operator {} ", operator.name))
            });
            of_operator || closed.iter().any(|gate| !gate.is_empty() && part.contains(gate.as_str()))
        };
        let parts = reasons_of(&it.message);
        let unsaid: Vec<&str> = parts.into_iter().filter(|it| !is_said(it)).collect();
        if !unsaid.is_empty() {
            let lift = "follow its message";
            let mut found = blocker(Code::ClusterVersion, subject, Some(next), unsaid.join("\n"), lift, place);
            found.value = Some(it.reason.clone()).filter(|it| !it.is_empty());
            found.has_way = false;
            plan.blockers.push(found);
        }
    }
}

/// The reasons that a ClusterVersion gives: all of its message, or the items of its list.
fn reasons_of(message: &str) -> Vec<&str> {
    let Some(first) = message.find("\n* ") else { return vec![message] };
    message[first + 3..].split("\n* ").map(str::trim).collect()
}

fn gates(question: &PlanQuestion<'_>, next: Minor, plan: &mut Plan) {
    let place = question.cluster.admin_gates.place.to_string();
    for (gate, text) in question.cluster.admin_gates.closed(question.from) {
        let mut lift = "read it, then acknowledge it in the ConfigMap admin-acks of openshift-config".to_owned();
        let is_plain = gate.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'-'));
        if is_plain {
            let patch = merge_patch(&["data", gate], "true");
            lift.push_str(&format!(": oc -n openshift-config patch cm admin-acks {patch}"));
        }
        plan.blockers.push(blocker(Code::AdminAck, gate, Some(next), text.clone(), &lift, place.clone()));
    }
}

fn pools(question: &PlanQuestion<'_>, plan: &mut Plan) {
    for pool in &question.cluster.pools {
        let place = pool.place.to_string();
        if pool.is_paused && !question.eus {
            let text = format!("the pool {} is paused, so its nodes get no update", pool.name);
            let lift = "resume it, or leave it paused deliberately";
            plan.blockers.push(blocker(Code::PoolPaused, &pool.name, None, text, lift, place.clone()));
        }
        if Condition::is(&pool.conditions, "Degraded", "True") {
            let text = Condition::find(&pool.conditions, "Degraded").map(|it| it.message.clone()).unwrap_or_default();
            let lift = "fix its nodes first";
            plan.blockers.push(blocker(Code::PoolDegraded, &pool.name, None, text, lift, place));
        }
    }
}

/// Adds the risks of the updates, or a note that there are none.
fn updates(question: &PlanQuestion<'_>, next: Minor, plan: &mut Plan) {
    for (minor, channel) in &question.unknown_channels {
        let text = format!("the updates to {minor} are unknown: the graph data hold no channel {channel}");
        let subject = Some(channel.clone());
        plan.unknowns.push(Unknown::new(Code::ClusterChannelMissing, subject, Some(*minor), text));
    }
    if question.graph.is_empty() || question.cluster.openshift.is_empty() {
        return;
    }
    let from = &question.cluster.openshift;
    let found = platform_path(&question.graph, from, &Goal::Minor(question.to))
        .or_else(|| platform_path(&question.graph, from, &Goal::Minor(next)));
    let Some(found) = found else {
        if question.unknown_channels.iter().any(|it| it.0 == next) {
            return;
        }
        let text = format!("no update leads from {from} to {next}");
        let lift = "update to the newest patch of the current minor version first, or choose another channel";
        let place = String::new();
        plan.blockers.push(blocker(Code::NoEdge, from, Some(next), text, lift, place));
        return;
    };
    for hop in &found.hops {
        let is_exposed = hop.from == *from && exposure(question, &hop.to);
        for risk in &hop.risks {
            plan.decisions.push(Decision {
                code: Code::ConditionalRisk,
                subject: Some(risk.name.clone()),
                platform: Some(hop.to.clone()),
                text: risk_words(risk, is_exposed),
                options: vec![
                    format!("read {} and judge whether the cluster is exposed", risk.url),
                    "wait for a release without the risk".to_owned(),
                ],
            });
        }
    }
    // The step that begins an update over several patches lists them.
    let first = plan.steps.iter_mut().find(|it| it.kind == StepKind::Platform);
    let patches: Vec<&str> = found.hops.iter().map(|it| it.to.as_str()).collect();
    if let Some(step) = first.filter(|_| patches.len() > 1) {
        step.warnings.push(format!("the update path goes through {}", patches.join(", ")));
    }
}

/// Whether the cluster itself does not recommend an update.
fn exposure(question: &PlanQuestion<'_>, to: &str) -> bool {
    let updates = question.cluster.cluster_version.iter().flat_map(|it| &it.conditional);
    updates.filter(|it| it.0 == to).any(|it| recommended(&it.1).is_some_and(|it| it.0 == "False"))
}

fn risk_words(risk: &Risk, is_exposed: bool) -> String {
    let who = match risk.is_always() {
        true => "every cluster is exposed",
        false if is_exposed => "the cluster itself does not recommend the update",
        false => "only the cluster can tell whether it is exposed",
    };
    format!("{} ({who})", risk.message.split_whitespace().collect::<Vec<_>>().join(" "))
}
