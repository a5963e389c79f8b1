//! The `olmdex` command.

fn main() {}
