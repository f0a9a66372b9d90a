// Runs the browser's tests in several workers side by side, each with a service and runs of its own: a third one uses
// the two cores while others wait. With arguments, those name what is to run: one worker does it.
import { spawn } from "node:child_process";

const WORKERS = "3";
const asked = process.argv.slice(2);

const child = spawn("npx", ["playwright", "test", ...asked], {
  env: {
    ...(asked.length ? { RLVIZ_E2E_TIER: "" } : { RLVIZ_E2E_WORKERS: WORKERS }),
    ...process.env,
  },
  stdio: "inherit",
});
child.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
