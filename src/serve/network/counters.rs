//! What `/metrics` tells, in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the start.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) connections: AtomicU64,
    pub(super) calls: AtomicU64,
    pub(super) refused_calls: AtomicU64,
    pub(super) requests: AtomicU64,
    pub(super) pages: AtomicU64,
    /// Microseconds until pages were made, together.
    pub(super) page_time: AtomicU64,
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
            ("connections", "Connections that were accepted.", &self.connections),
            ("grpc_calls", "gRPC calls.", &self.calls),
            ("grpc_calls_refused", "gRPC calls that ended with an error.", &self.refused_calls),
            ("http_requests", "HTTP requests.", &self.requests),
            ("pages", "Pages and their data, among the HTTP requests.", &self.pages),
            ("reloads", "Times that the catalogs were read again.", &self.reloads),
            ("reloads_failed", "Times that this failed, and the old catalogs stayed.", &self.failed_reloads),
        ];
        for (name, help, counter) in counters {
            let value = counter.load(Ordering::Relaxed);
            // Writing into a `String` does not fail.
            let _ = writeln!(out, "# HELP olmdex_{name}_total {help}\n# TYPE olmdex_{name}_total counter");
            let _ = writeln!(out, "olmdex_{name}_total {value}");
        }
        let _ = writeln!(out, "# HELP olmdex_catalogs Catalogs that are served.\n# TYPE olmdex_catalogs gauge");
        let _ = writeln!(out, "olmdex_catalogs {n_catalogs}");
        let _ = writeln!(out, "# HELP olmdex_bundles Bundles of all catalogs.\n# TYPE olmdex_bundles gauge");
        let _ = writeln!(out, "olmdex_bundles {n_bundles}");
        let seconds = self.page_time.load(Ordering::Relaxed) as f64 / 1e6;
        let help = "# HELP olmdex_page_seconds_total Time in which pages were made.";
        let _ = writeln!(out, "{help}\n# TYPE olmdex_page_seconds_total counter\nolmdex_page_seconds_total {seconds}");
        let help = "# HELP olmdex_index_modified_seconds When the catalogs were made, in seconds since 1970.";
        let _ = writeln!(
            out,
            "{help}\n# TYPE olmdex_index_modified_seconds gauge\nolmdex_index_modified_seconds {modified}"
        );
        out
    }
}
