import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": path.resolve(import.meta.dirname, "src") } },
  test: {
    setupFiles: ["./vitest.restore.ts"],
    // One less would be left out for the main process, which has nothing to do meanwhile.
    maxWorkers: availableParallelism(),
    // Longer than any single wait of `vitest.setup.ts`.
    testTimeout: 30_000,
    // What is imported in a hook takes as long as the machine is busy.
    hookTimeout: 120_000,
    // Node's fetch wants whole addresses.
    env: { NEXT_PUBLIC_API_URL: "http://service.test" },
    projects: [
      {
        extends: true,
        test: {
          name: "logic",
          environment: "node",
          include: ["src/**/*.test.ts"],
          // Files share what they import, which takes most of the time otherwise; so none may mock a module.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "components",
          environment: "jsdom",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["./vitest.setup.ts"],
        },
      },
    ],
  },
});
