import { rmSync } from "node:fs";

/** Takes away the run folders that the tests' own services wrote. */
export default function teardown() {
  const { RLVIZ_E2E_ROOT: root } = process.env;
  if (root) rmSync(root, { recursive: true, force: true });
}
