import { spawn } from "node:child_process";
import process from "node:process";

export const PORT = process.env.RLVIZ_E2E_PORT ?? "8765";
export const ADDRESS = `http://127.0.0.1:${PORT}`;
export const PYTHON = "../backend/.venv/bin/python";

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Serves the app with the folder `runs`. Returns a function that stops it with its training runs. */
export async function serve(runs) {
  const child = spawn(PYTHON, ["-m", "rlviz", "serve"], {
    env: {
      ...process.env,
      ...{ RLVIZ_PORT: PORT, RLVIZ_RUNS_DIR: runs, RLVIZ_ON_EXIT: "stop", RLVIZ_NICENESS: "0" },
    },
    stdio: "ignore",
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}`);
    const isUp = await fetch(`${ADDRESS}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    await pause(200);
  }
  return async () => {
    child.kill("SIGINT");
    await gone;
  };
}
