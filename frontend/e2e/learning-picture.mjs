import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { chromium } from "@playwright/test";
import { chromiumPath } from "./chromium.mjs";
import { ADDRESS, pause, PYTHON, serve } from "./picture-service.mjs";

/**
 * Makes `docs/images/learning.webp`, the animated picture of the README: PPO learns CartPole on the real app.
 *
 * Run `node e2e/learning-picture.mjs` in `frontend`, after a build. The service trains one run with a fixed seed while
 * a browser takes a picture of its page a few times a second; `e2e/animate.py` then plays these pictures faster.
 */
const RUN = {
  ...{ algo: "ppo", env_id: "CartPole-v1", preset: "fast", seed: 1 },
  ...{ total_timesteps: 50_000, start: true },
};
const EVERY_MS = 800;
const VIEW = { width: 1440, height: 860 };
/** The charts and the live window, without the navigation. */
const CLIP = { x: 200, y: 52, width: 1232, height: 780 };

const api = async (address, body) => {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  return (await fetch(`${ADDRESS}/api${address}`, options)).json();
};

async function record(folder) {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: VIEW, colorScheme: "light" });
  const { id } = await api("/runs", RUN);
  await page.goto(`${ADDRESS}/runs/view?id=${id}`);
  await page.getByRole("region", { name: "Live", exact: true }).locator("canvas").first().waitFor();
  const pictures = [];
  const begun = Date.now();
  for (let over = 0; over < 6;) {
    const file = path.join(folder, `${String(pictures.length).padStart(4, "0")}.png`);
    const at = Date.now();
    await page.screenshot({ path: file, clip: CLIP });
    pictures.push({ file, seconds: (at - begun) / 1000 });
    if (pictures.length % 4 === 0 && (await api(`/runs/${id}`)).status === "completed") over += 1;
    await pause(Math.max(0, EVERY_MS - (Date.now() - at)));
  }
  await browser.close();
  return pictures;
}

const root = await mkdtemp(path.join(tmpdir(), "rlviz-learning-"));
const folder = process.env.PICTURES ?? path.join(root, "pictures");
await mkdir(folder, { recursive: true });
const stop = await serve(path.join(root, "runs"));
try {
  await writeFile(path.join(folder, "pictures.json"), JSON.stringify(await record(folder)));
} finally {
  await stop();
}
const output = process.env.OUTPUT ?? "../docs/images/learning.webp";
const result = spawnSync(PYTHON, ["e2e/animate.py", folder, output], {
  stdio: "inherit",
});
await rm(root, { recursive: true, force: true });
process.exit(result.status ?? 1);
