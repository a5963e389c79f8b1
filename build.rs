//! How the program is linked.
//!
//! The tests start it more than ten thousand times without optimisation. As long as it can be loaded anywhere in
//! memory, a quarter of a million addresses must be adapted whenever it starts, which takes longer than most of what it
//! is asked. Programs that are used stay as they are.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    let is_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is("OPT_LEVEL", "0") && is_linux {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
