import { defineConfig } from "@playwright/test";
import base, { desktop, phone } from "./playwright.config";

const themes = ["light", "dark"] as const;
const widths = { desktop, phone };

/** `make screenshots`: every page and state, in both themes, at both widths, into screenshots/. */
export default defineConfig({
  ...base,
  testDir: "e2e",
  testMatch: "*.shots.ts",
  timeout: 290_000,
  webServer: [base.webServer ?? []].flat().map((service) => ({
    ...service,
    command: service.command.replace("--live", "--experiments --live"),
  })),
  projects: themes.flatMap((colorScheme) =>
    Object.entries(widths).map(([name, viewport]) => ({
      name: `${name}-${colorScheme}`,
      use: { viewport, colorScheme },
    })),
  ),
});
