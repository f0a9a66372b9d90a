import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

const source = path.resolve(import.meta.dirname, "src");

/** The tests of components that replace a module: what one of them imports is of no use to another. */
const mocking = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.tsx"))
  .filter((file) => readFileSync(path.join(source, file), "utf8").includes("vi.mock("))
  .map((file) => path.posix.join("src", ...file.split(path.sep)));

const ofComponents = {
  environment: "jsdom",
  setupFiles: ["./vitest.restore.ts", "./vitest.setup.ts"],
  alias: { "next/navigation": path.join(source, "lib/testing/navigation.ts") },
} as const;

export default defineConfig({
  resolve: { alias: { "@": source } },
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
          ...ofComponents,
          name: "components",
          include: ["src/**/*.test.tsx"],
          exclude: mocking,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...ofComponents, name: "components with a mocked module", include: mocking },
      },
    ],
  },
});
