//! The tests of everything that users see, one file for each capability, in one program.
//!
//! ```text
//! cargo test --test it                 all
//! cargo test --test it legacy_export   one file
//! ```
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod adding;
mod architecture;
mod asked_again;
mod asking;
#[cfg(feature = "mcp")]
mod assistant;
mod blob_schemas;
mod bombs;
mod bounded;
mod browsing;
mod bundles;
#[cfg(all(unix, feature = "oci"))]
mod catalog_images;
mod cel_rules;
mod choosing;
mod circles;
mod cluster_versions;
#[cfg(feature = "parquet")]
mod columnar;
mod comparing;
mod compat;
mod completing;
mod composing;
mod deltas;
mod dependencies;
mod drawing;
mod editing;
mod edits;
mod few_catalogs;
mod filtering;
mod fixtures;
#[cfg(feature = "parquet")]
mod fleet;
mod grpc_descriptors;
mod help;
mod hooks;
mod hostile_names;
mod image_sets;
mod images;
mod index_build;
mod index_catalogs;
mod index_command_line;
mod index_schema;
mod index_survival;
mod joining;
mod language_server;
mod legacy_adding;
mod legacy_editing;
mod legacy_export;
#[cfg(all(unix, feature = "oci"))]
mod legacy_images;
mod legacy_proof;
mod legacy_reading;
mod legacy_salvage;
mod lifecycles;
mod live_clusters;
mod locking;
mod lost_edits;
mod machine_pages;
mod migrating;
mod mirrors;
mod names;
mod namespaces;
#[cfg(all(unix, feature = "oci", feature = "serve"))]
mod old_commands;
mod onboarding;
mod one_answer;
mod one_truth;
mod output_schemas;
mod package_manifests;
mod pages;
mod past;
mod pins;
mod pipelines;
mod places;
mod plan_pages;
mod planning;
mod platform_updates;
mod practices;
mod properties;
mod prose;
mod publishing;
mod readiness;
mod readme;
mod registries;
mod releasing;
mod remembering;
mod resolving;
mod roads;
mod rules_page;
mod sending;
mod serving;
mod serving_as_opm;
mod serving_attacked;
#[cfg(feature = "graphql")]
mod serving_graphql;
mod serving_hostile;
mod serving_tls;
mod simulating;
mod size;
mod solving;
mod stuck_worlds;
mod support;
mod survive_reading;
mod tasks;
mod terminals;
mod tidy;
mod trusting;
mod typed_manifests;
mod upgrade_reach;
mod upgrades;
mod version_properties;
mod white_space;
mod writing;
mod yaml_golden;
