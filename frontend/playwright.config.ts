import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineConfig, type Project } from "@playwright/test";
import { chromiumPath } from "./e2e/chromium.mjs";

const given = process.env.RLVIZ_E2E_URL;
const workers = given ? 1 : Number(process.env.RLVIZ_E2E_WORKERS ?? "1");
const firstPort = Number(process.env.RLVIZ_E2E_PORT ?? "8765");

/** Of what trains. With that of the product, a test that waits for it would wait until the tests beside it have ended. */
process.env.RLVIZ_NICENESS ??= "3";

/** The worker that reads this, which stays in its place when it is started anew. Whoever starts them all is none. */
const ours = Number(process.env.TEST_PARALLEL_INDEX ?? "0");

// Made once, and read by every worker: a folder for each run of the tests, with the runs of each worker below it.
const root = process.env.RLVIZ_E2E_ROOT ?? mkdtempSync(path.join(tmpdir(), "rlviz-e2e-"));
if (!process.env.RLVIZ_E2E_ROOT) {
  process.env.RLVIZ_E2E_ROOT = root;
  // Once the services have ended, which is after any teardown: they wait long for what trains in a folder that is gone.
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
}
const runsOf = (worker: number) => path.join(root, String(worker));
if (!given) process.env.RLVIZ_E2E_RUNS = runsOf(ours);

/** Runs that seem to train. One is enough for the journeys, and leaves the processor to what they look at. */
const LIVE = (process.env.RLVIZ_E2E_TIER ?? "journeys") === "journeys" ? 1 : 3;

/**
 * The service as it is shipped, over runs that were written, not trained, and some that seem to train: one for each
 * worker, as tests change what they find. One command starts them all, over copies of what it writes once. It serves
 * `out/`, so build before. `RLVIZ_E2E_URL` names one that runs, over `RLVIZ_E2E_RUNS`.
 */
const services = {
  command: `../backend/.venv/bin/python e2e/seed.py ${root} --live ${LIVE} --serve ${workers}`,
  wait: { stdout: /^ready$/m },
  timeout: 240_000,
  env: {
    RLVIZ_PORT: String(firstPort),
    RLVIZ_MAX_CONCURRENT_RUNS: "6",
    RLVIZ_ON_EXIT: "stop",
    RLVIZ_TRUSTED_PROXIES: "127.0.0.1", // one of them serves it below a path
  },
  gracefulShutdown: { signal: "SIGTERM" as const, timeout: 10_000 },
};

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

const desktopOnly = { name: "desktop", use: { viewport: desktop }, grepInvert: /@touch/ };
const onPhone = { name: "phone", use: { viewport: phone, hasTouch: true } };

/**
 * `make test` runs `e2e/journeys`: on a desktop, and those tagged @touch on a phone alone. `RLVIZ_E2E_TIER=exhaustive`
 * runs `e2e/exhaustive` the same way, and on a phone also what is tagged @phone, of the journeys too: the layout is
 * another there.
 */
const tiers: Record<string, Project[]> = {
  journeys: [
    { ...desktopOnly, testDir: "e2e/journeys" },
    { ...onPhone, testDir: "e2e/journeys", grep: /@touch/ },
  ],
  exhaustive: [
    { ...desktopOnly, testDir: "e2e/exhaustive" },
    { ...onPhone, testDir: "e2e/exhaustive", grep: /@touch|@phone/ },
    { ...onPhone, name: "phone journeys", testDir: "e2e/journeys", grep: /@phone/ },
  ],
  "": [
    { ...desktopOnly, testDir: "e2e" },
    { ...onPhone, testDir: "e2e", grep: /@touch|@phone/ },
  ],
};

export default defineConfig({
  timeout: 900_000, // of several waits with PATIENCE
  expect: { timeout: 60_000 },
  workers,
  retries: 0,
  fullyParallel: false,
  reporter: "list",
  projects: tiers[process.env.RLVIZ_E2E_TIER ?? "journeys"],
  use: {
    baseURL: given ?? `http://127.0.0.1:${firstPort + ours}`,
    actionTimeout: 60_000,
    screenshot: "only-on-failure",
    // Where no graphics card draws it, what moves takes a third of a core from what is tested.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: chromiumPath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
  webServer: given ? undefined : services,
});
