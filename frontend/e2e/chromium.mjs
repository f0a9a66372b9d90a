import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";

const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  chromium.executablePath(),
];

/** The Chromium to use: the configured one, the system's, or Playwright's own. */
export const chromiumPath = CANDIDATES.find((candidate) => candidate && existsSync(candidate));

// `node e2e/chromium.mjs` says where it is, or fails.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!chromiumPath) process.exit(1);
  process.stdout.write(`${chromiumPath}\n`);
}
