#!/usr/bin/env node
// Runs the program of this platform, which is an optional dependency, in place of itself.
"use strict";

const { spawn } = require("node:child_process");

const platforms = Object.keys(require("../package.json").optionalDependencies);
const platform = `@olmdex/${process.platform}-${process.arch}`;

// As a shell ends if it cannot find or start a program: 1 would mean that there are findings.
function fail(code, message, help) {
  console.error(`error: ${message}\n  = help: ${help}`);
  process.exit(code);
}

function find() {
  try {
    return require.resolve(`${platform}/bin/olmdex`);
  } catch {
    if (platforms.includes(platform)) {
      return fail(127, `the package ${platform} is not installed`, "install olmdex again, with optional dependencies");
    }
    const help = [
      `there are ${platforms.join(", ")}; for others build the program with`,
      "`cargo install --locked --git https://github.com/olmdex/olmdex`",
    ];
    return fail(127, `there is no package ${platform}`, help.join(" "));
  }
}

const program = find();
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(126, `cannot start ${program}: ${error.message}`, "install olmdex again"));
// The program decides how it ends. A terminal sends an interrupt to both, and the program is content with one or two.
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
