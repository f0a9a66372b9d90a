import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "@playwright/test";
import { chromiumPath } from "./chromium.mjs";
import { ADDRESS, serve } from "./picture-service.mjs";

/**
 * Takes the pictures of `docs/start.md` that need no trained run. Run `node e2e/guide-pictures.mjs` in `frontend`, after
 * a build.
 */
const root = await mkdtemp(path.join(tmpdir(), "rlviz-guide-"));
const stop = await serve(path.join(root, "runs"));
try {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  const page = await browser.newPage({
    viewport: { width: 1200, height: 900 },
    colorScheme: "light",
  });
  await page.goto(`${ADDRESS}/?new`);
  await page.getByRole("form", { name: "New run" }).waitFor();
  const dialog = page.getByRole("dialog", { name: "New run" });
  await dialog.getByRole("radio", { name: "Fast" }).waitFor();
  await dialog.locator("img").first().waitFor();
  await dialog.screenshot({ path: "../docs/images/new-run.png" });
  await browser.close();
} finally {
  await stop();
  await rm(root, { recursive: true, force: true });
}
