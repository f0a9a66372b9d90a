// Runs the browser's tests as two halves side by side, each over a service, runs and results of its own.
// With arguments, those name what is to run: one process does it.
import { spawn } from "node:child_process";

const HALVES = 2;
const asked = process.argv.slice(2);

function playwright(given, port) {
  const child = spawn("npx", ["playwright", "test", ...given], {
    env: { ...process.env, ...(port && { RLVIZ_E2E_PORT: String(port) }) },
    stdio: "inherit",
  });
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

function half(number) {
  const results = `test-results/${number}`;
  return playwright([`--shard=${number}/${HALVES}`, `--output=${results}`], 8764 + number);
}

const codes = asked.length
  ? [await playwright(asked)]
  : await Promise.all(Array.from({ length: HALVES }, (_, index) => half(index + 1)));
process.exitCode = Math.max(...codes);
