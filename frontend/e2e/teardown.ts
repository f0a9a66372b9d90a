import { rmSync } from "node:fs";

/** Takes away the run folders that the tests' own service wrote. */
export default function teardown() {
  const runs = process.env.RLVIZ_E2E_RUNS;
  if (runs) rmSync(runs, { recursive: true, force: true });
}
