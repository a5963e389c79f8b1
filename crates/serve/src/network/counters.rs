//! The content of `/metrics`, in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets of [`Latencies`], in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The time that answers took until they were made; a streamed one until its first messages were.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    /// Answers by the first bound that they kept; the last are those that kept none.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Latencies {
    pub(super) fn add(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        Counters::add(&self.buckets[BOUNDS.partition_point(|it| *it < seconds)]);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn write(&self, out: &mut String, kind: &str) {
        const NAME: &str = "olmdex_answer_seconds";
        let mut n = 0;
        let bounds = BOUNDS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
        for (bound, bucket) in bounds.zip(&self.buckets) {
            n += bucket.load(Ordering::Relaxed);
            // Writing into a `String` does not fail.
            let _ = writeln!(out, "{NAME}_bucket{{kind=\"{kind}\",le=\"{bound}\"}} {n}");
        }
        let seconds = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(out, "{NAME}_sum{{kind=\"{kind}\"}} {seconds}\n{NAME}_count{{kind=\"{kind}\"}} {n}");
    }
}

/// Counts since the start.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) connections: AtomicU64,
    pub(super) ended_connections: AtomicU64,
    pub(super) refused_for_load: AtomicU64,
    pub(super) calls: AtomicU64,
    pub(super) refused_calls: AtomicU64,
    pub(super) requests: AtomicU64,
    pub(super) pages: AtomicU64,
    pub(super) grpc_times: Latencies,
    pub(super) api_times: Latencies,
    pub(super) page_times: Latencies,
    pub(super) reloads: AtomicU64,
    pub(super) failed_reloads: AtomicU64,
}

impl Counters {
    pub(super) fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// `modified` is when the catalogs were made, in seconds since 1970.
    pub(super) fn text(&self, (n_catalogs, n_bundles): (usize, u64), modified: u64) -> String {
        let mut out = String::new();
        let counters = [
            ("connections", "Accepted connections.", &self.connections),
            (
                "connections_ended",
                "Connections closed because the client took too long, or to make room for others.",
                &self.ended_connections,
            ),
            ("busy", "Calls and requests refused because too many were waiting.", &self.refused_for_load),
            ("grpc_calls", "gRPC calls.", &self.calls),
            ("grpc_calls_refused", "gRPC calls that ended with an error.", &self.refused_calls),
            ("http_requests", "HTTP requests.", &self.requests),
            ("pages", "Pages and their data, among the HTTP requests.", &self.pages),
            ("reloads", "Reloads of the catalogs.", &self.reloads),
            ("reloads_failed", "Failed reloads, which kept the old catalogs.", &self.failed_reloads),
        ];
        for (name, help, counter) in counters {
            let value = counter.load(Ordering::Relaxed);
            // Writing into a `String` does not fail.
            let _ = writeln!(out, "# HELP olmdex_{name}_total {help}\n# TYPE olmdex_{name}_total counter");
            let _ = writeln!(out, "olmdex_{name}_total {value}");
        }
        let _ = writeln!(out, "# HELP olmdex_catalogs Served catalogs.\n# TYPE olmdex_catalogs gauge");
        let _ = writeln!(out, "olmdex_catalogs {n_catalogs}");
        let _ = writeln!(out, "# HELP olmdex_bundles Bundles of all catalogs.\n# TYPE olmdex_bundles gauge");
        let _ = writeln!(out, "olmdex_bundles {n_bundles}");
        let help =
            "# HELP olmdex_answer_seconds Time to make an answer; for a streamed answer, time to its first messages.";
        let _ = writeln!(out, "{help}\n# TYPE olmdex_answer_seconds histogram");
        for (kind, times) in [("grpc", &self.grpc_times), ("api", &self.api_times), ("page", &self.page_times)] {
            times.write(&mut out, kind);
        }
        let help = "# HELP olmdex_index_modified_seconds Time at which the catalogs were made, in seconds since 1970.";
        let _ = writeln!(
            out,
            "{help}\n# TYPE olmdex_index_modified_seconds gauge\nolmdex_index_modified_seconds {modified}"
        );
        out
    }
}
