#!/usr/bin/env node
// Starts the program of this platform. npm has installed it as an optional dependency: nothing is downloaded here.
"use strict";
const { spawn } = require("node:child_process");
const platforms = require("./platforms.json");

const platform = `${process.platform}-${process.arch}`;

function program() {
  const file = platforms[platform];
  if (!file) {
    throw new Error(`there is no build for ${platform}; there are builds for ${Object.keys(platforms).join(", ")}`);
  }
  try {
    return require.resolve(file);
  } catch {
    throw new Error(`${file} is missing: install again without --omit=optional (--no-optional)`);
  }
}

let path;
try {
  path = program();
} catch (error) {
  console.error(`crd-analyzer: ${error.message}`);
  process.exit(3);
}
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`crd-analyzer: cannot start ${path}: ${error.message}`);
  process.exit(3);
});
child.on("exit", (code, signal) => {
  if (signal) {
    for (const it of signals) {
      process.removeAllListeners(it);
    }
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
