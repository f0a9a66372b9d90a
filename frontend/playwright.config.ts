import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "@playwright/test";
import { chromiumPath } from "./e2e/chromium.mjs";

const given = process.env.RLVIZ_E2E_URL;
const port = process.env.RLVIZ_E2E_PORT ?? "8765";
const url = given ?? `http://127.0.0.1:${port}`;

// Read by every worker, made once: a folder of its own for each run of the tests.
process.env.RLVIZ_E2E_RUNS ??= mkdtempSync(path.join(tmpdir(), "rlviz-e2e-"));

/** The service as it is shipped: it serves `out/`, so build before. `RLVIZ_E2E_URL` names one that runs. */
const service = {
  command: "../backend/.venv/bin/python -m rlviz serve",
  url: `${url}/api/health`,
  reuseExistingServer: false,
  timeout: 60_000,
  env: { RLVIZ_PORT: port, RLVIZ_RUNS_DIR: process.env.RLVIZ_E2E_RUNS },
  gracefulShutdown: { signal: "SIGTERM" as const, timeout: 10_000 },
};

export default defineConfig({
  testDir: "e2e",
  globalTeardown: "./e2e/teardown.ts",
  timeout: 120_000,
  expect: { timeout: 15_000 },
  workers: 1,
  fullyParallel: false,
  reporter: "list",
  use: {
    baseURL: url,
    viewport: { width: 1280, height: 900 },
    trace: "retain-on-failure",
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
  webServer: given ? undefined : service,
});
