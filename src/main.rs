//! The `olmdex` command.

fn main() -> std::process::ExitCode {
    olmdex::cli::run()
}
