import { expect, test } from "@playwright/test";
import { cuttableProxy } from "../cuttable-proxy";
import { PATIENCE } from "../patience";
import { points, status } from "../run-page";
import { runPage } from "../seeded";

/** One environment, so that no two episodes end at the same step. Each has 200 steps, so that several end each second. */
const RUN = {
  ...{ algo: "ppo", env_id: "MountainCar-v0", preset: null, hyperparameters: { n_envs: 1 } },
  ...{ total_timesteps: 10_000_000, name: "Cut off", start: true },
};

test("a dropped connection resumes without a gap or a duplicate", async ({
  page,
  request,
  baseURL,
}) => {
  const wire = await cuttableProxy(baseURL!);
  const created = await request.post("/api/runs", { data: RUN });
  expect(created.status()).toBe(201);
  const { id } = (await created.json()) as { id: string };
  await page.goto(wire.url + runPage(id));
  const episodes = async () => {
    const answer = await request.get(`/api/runs/${id}/metrics/curves?names=episode/reward`);
    const { series } = (await answer.json()) as { series: Record<string, { count: number }> };
    return series["episode/reward"]!.count;
  };
  const connection = page.locator("[data-connection]");
  try {
    await expect.poll(() => points(page, "Episode return"), PATIENCE).toBeGreaterThan(5);

    for (let cut = 0; cut < 2; cut += 1) {
      const held = await points(page, "Episode return");
      wire.cut();
      await expect(connection).toHaveAttribute("data-connection", "reconnecting");
      // Rows are written meanwhile, which the page has to catch up on.
      const written = await episodes();
      await expect.poll(episodes).toBeGreaterThan(written + 3);
      wire.restore();
      await expect(connection).toHaveAttribute("data-connection", "live");
      await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(held);
    }

    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect(status(page, "stopped")).toBeVisible();
    // Each episode is drawn twice: as a point, and in the mean of the last 100.
    const drawn = 2 * (await episodes());
    await expect.poll(() => points(page, "Episode return")).toBe(drawn);
  } finally {
    await request.post(`/api/runs/${id}/stop`);
    await wire.close();
  }
});
