import { execFileSync, spawn } from "node:child_process";
import { expect, test } from "@playwright/test";
import { chart, points, status, videoTime } from "../run-page";
import { runPage } from "../seeded";

const SCRIPT = `
import sys
import numpy as np
import rlviz

with rlviz.track("my-ppo", "CartPole-v1", name="By a script", runs_dir=sys.argv[1]) as run:
    for step in range(0, 500, 50):
        run.episode(step, episode_return=step / 10, length=50)
    frames = [np.full((300, 400, 3), 2 * number, np.uint8) for number in range(90)]
    run.video(frames)
    run.video(frames, episodes=[(30.0, 44), (41.0, 44)])
print(run.id)
`;

test("a video logged by a user's program plays on the page of its run @phone", async ({
  page,
  request,
}) => {
  const runs = process.env.RLVIZ_E2E_RUNS ?? "";
  const python = "../backend/.venv/bin/python";
  const id = execFileSync(python, ["-c", SCRIPT, runs], { encoding: "utf8" }).trim();
  try {
    await expect.poll(async () => (await request.get(`/api/runs/${id}`)).status()).toBe(200);
    await page.goto(runPage(id, "episodes"));
    const card = page.getByRole("region", { name: "Videos" });
    await expect(card.getByText("Video of its own program")).toBeVisible();
    const video = card.locator("video");
    await card.getByRole("button", { name: /^Play episode 2: return 41/ }).click();
    await expect.poll(() => videoTime(video)).toBeGreaterThan(1.6);
    await expect(card.getByText("35.5", { exact: false }).first()).toBeVisible();

    await card.getByText("All evaluations").click();
    const all = card.getByRole("list", { name: "All evaluations" });
    await all.getByRole("listitem").last().getByRole("button").click();
    await expect(card.getByText("handed over at step 450")).toBeVisible();
    await expect(card.getByRole("list", { name: "Episodes", exact: true })).toHaveCount(0);
    await card.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(() => videoTime(video)).toBeGreaterThan(0.2);
  } finally {
    await request.delete(`/api/runs/${id}`);
    await request.delete(`/api/trash/${id}`);
  }
});

const ENDLESS = `
import sys, time
import rlviz

run = rlviz.track("my-ppo", "CartPole-v1", name="By a notebook", runs_dir=sys.argv[1])
print(run.id, flush=True)
for step in range(50, 10_000_000, 50):
    run.episode(step, episode_return=step / 50, length=50)
    time.sleep(0.02)
`;

test("a user's program is shown as it trains, and within ten seconds as interrupted @phone", async ({
  page,
  request,
}) => {
  const runs = process.env.RLVIZ_E2E_RUNS ?? "";
  const program = spawn("../backend/.venv/bin/python", ["-c", ENDLESS, runs]);
  const id = await new Promise<string>((resolve) => {
    program.stdout.once("data", (said: Buffer) => {
      resolve(said.toString().trim());
    });
  });
  try {
    await expect.poll(async () => (await request.get(`/api/runs/${id}`)).status()).toBe(200);
    await page.goto(runPage(id));
    await expect(status(page, "running")).toBeVisible();
    await expect(chart(page, "Episode return")).toBeVisible();
    const before = await points(page, "Episode return");
    await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(before + 20);
    await expect(page.getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);

    program.kill("SIGKILL");
    await expect(status(page, "interrupted")).toBeVisible({ timeout: 10_000 });
  } finally {
    program.kill("SIGKILL");
    await request.delete(`/api/runs/${id}`);
    await request.delete(`/api/trash/${id}`);
  }
});
