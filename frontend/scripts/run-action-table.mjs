// Writes src/api/run-action-table.ts from the service's OpenAPI document: what can be done with a run in each status.
import { readFileSync, writeFileSync } from "node:fs";

const table = JSON.parse(readFileSync("openapi.json", "utf8"))["x-run-actions"];
writeFileSync(
  "src/api/run-action-table.ts",
  `/** Generated from \`backend/rlviz/domain/run_actions.py\`. */
export const RUN_ACTIONS = ${JSON.stringify(table, null, 2)} as const;
`,
);
