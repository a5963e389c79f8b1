//! The tests of what users see, one file a capability, in one program.
//!
//! ```text
//! cargo test --test it                 all
//! cargo test --test it legacy_export   one file
//! ```
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod asking;
mod blob_schemas;
mod bounded;
mod bundles;
mod cel_rules;
mod choosing;
mod circles;
mod columnar;
mod comparing;
mod compat;
mod completing;
mod dependencies;
mod drawing;
mod editing;
mod edits;
mod examples;
mod filtering;
mod fixtures;
mod help;
mod images;
mod index_build;
mod index_catalogs;
mod index_command_line;
mod index_schema;
mod index_survival;
mod joining;
mod legacy_adding;
mod legacy_editing;
mod legacy_export;
mod legacy_proof;
mod legacy_reading;
mod lifecycles;
mod locking;
mod migrating;
mod mirrors;
mod namespaces;
mod output_schemas;
mod package_manifests;
mod pages;
mod past;
mod places;
mod planning;
mod properties;
mod readme;
mod registries;
mod remembering;
mod resolving;
mod rules_page;
mod sending;
mod serving;
mod solving;
mod support;
mod survive_reading;
mod terminals;
mod tidy;
mod upgrade_reach;
mod upgrades;
mod version_properties;
mod writing;
mod yaml_golden;
