import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

export interface OwnService {
  url: string;
  /** The runs folder. */
  runs: string;
  /** Stops the service as Ctrl-C does, and restarts it with the same runs. */
  restart: () => Promise<void>;
  /** Kills the process that trains the run, as a machine without free memory does. */
  killWorker: (run: string) => Promise<void>;
  /** Stops the service with its training runs, and deletes its runs. */
  close: () => Promise<void>;
}

/** Twenty above the port of the worker's seeded service. A worker runs one test at a time. */
const port = () =>
  Number(process.env.RLVIZ_E2E_PORT ?? "8765") +
  20 +
  Number(process.env.TEST_PARALLEL_INDEX ?? "0");

/**
 * A service for one test, without seeded runs, on a separate port. It serves `out/`, so build first. With a `script`
 * (see `rlviz/testing/scripted.py`), its workers replay recorded runs without training and without torch. `settings` are
 * further environment variables.
 */
export async function ownService(
  script?: object,
  settings: Record<string, string> = {},
): Promise<OwnService> {
  const runs = await mkdtemp(path.join(tmpdir(), "rlviz-e2e-own-"));
  const url = `http://127.0.0.1:${port()}`;
  const start = async () => {
    const child = spawn("../backend/.venv/bin/python", ["-m", "rlviz", "serve"], {
      env: {
        ...process.env,
        ...{ RLVIZ_PORT: String(port()), RLVIZ_RUNS_DIR: runs },
        ...{ RLVIZ_ON_EXIT: "stop", RLVIZ_MAX_CONCURRENT_RUNS: "2", ...settings },
        ...(script && {
          ...{ RLVIZ_LAUNCHER: "scripted", RLVIZ_SCRIPT: JSON.stringify(script) },
          RLVIZ_WARM_WORKER: "false",
        }),
      },
      stdio: "ignore",
    });
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    while (!(await answers(`${url}/api/health`))) {
      if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return async () => {
      child.kill("SIGINT");
      await gone;
    };
  };
  let stop = await start();
  return {
    ...{ url, runs },
    restart: async () => {
      await stop();
      stop = await start();
    },
    killWorker: async (run) => {
      const events = await readFile(path.join(runs, run, "events.jsonl"), "utf8");
      const pids = [...events.matchAll(/"worker": ?"process:(\d+):/g)].map(([, pid]) =>
        Number(pid),
      );
      process.kill(pids.at(-1)!, "SIGKILL");
    },
    close: async () => {
      await stop();
      await rm(runs, { recursive: true, force: true });
    },
  };
}

const answers = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
