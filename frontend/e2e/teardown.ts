import { rmSync } from "node:fs";

/** Takes away the run folders that the tests' own service wrote. */
export default function teardown() {
  const { RLVIZ_E2E_RUNS: runs, RLVIZ_E2E_URL: given } = process.env;
  if (runs && !given) rmSync(runs, { recursive: true, force: true });
}
