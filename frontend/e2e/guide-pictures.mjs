import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "@playwright/test";
import { chromiumPath } from "./chromium.mjs";
import { ADDRESS, pause, serve } from "./picture-service.mjs";

/**
 * Takes the pictures of `docs/start.md`: the form of a new run, and the page of an ended run. Run
 * `node e2e/guide-pictures.mjs` in `frontend`, after a build. It trains one run with a fixed seed.
 */
const RUN = { algo: "ppo", env_id: "CartPole-v1", preset: "fast", seed: 1, start: true };
/** Steps of the episode that the agent plays before the picture is taken. */
const SEEN = 100;

async function pictureForm(browser) {
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
  await page.close();
}

async function pictureRun(browser) {
  const started = await fetch(`${ADDRESS}/api/runs`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(RUN),
  });
  const { id } = await started.json();
  const status = async () => (await (await fetch(`${ADDRESS}/api/runs/${id}`)).json()).status;
  while ((await status()) !== "completed") await pause(1_000);
  const page = await browser.newPage({
    viewport: { width: 1440, height: 1000 },
    colorScheme: "light",
  });
  await page.goto(`${ADDRESS}/runs/view?id=${id}&view=live`);
  const live = page.getByRole("region", { name: "Live", exact: true });
  const watch = live.getByRole("button", { name: "Watch it play" });
  await watch.or(live.locator("canvas")).first().waitFor();
  if (await watch.isVisible()) await watch.click();
  const step = async () => Number(/Step\s*(\d+)/.exec(await live.innerText())?.[1] ?? 0);
  while ((await step()) < SEEN) await pause(200);
  await page.screenshot({ path: "../docs/images/run.png" });
  await page.close();
}

const root = await mkdtemp(path.join(tmpdir(), "rlviz-guide-"));
const stop = await serve(path.join(root, "runs"));
try {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  await pictureForm(browser);
  await pictureRun(browser);
  await browser.close();
} finally {
  await stop();
  await rm(root, { recursive: true, force: true });
}
