import { expect, test } from "@playwright/test";
import { cuttableProxy } from "./cuttable-proxy";
import { points, status } from "./run-page";
import { runPage, seeded } from "./seeded";

test("a dropped connection resumes without a gap or a duplicate", async ({
  page,
  request,
  baseURL,
}) => {
  const wire = await cuttableProxy(baseURL!);
  const id = seeded().live.at(-1)!;
  await page.goto(wire.url + runPage(id));
  const connection = page.locator("[data-connection]");
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(5);

  for (let cut = 0; cut < 2; cut += 1) {
    const held = await points(page, "Episode return");
    wire.cut();
    await expect(connection).toHaveAttribute("data-connection", "reconnecting");
    await page.waitForTimeout(1500);
    wire.restore();
    await expect(connection).toHaveAttribute("data-connection", "live");
    await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(held);
  }

  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(status(page, "stopped")).toBeVisible();
  const answer = await request.get(
    `/api/runs/${id}/metrics/curves?names=episode/reward&max_points=100000`,
  );
  const { series } = (await answer.json()) as { series: Record<string, { count: number }> };
  // Each episode is drawn twice: as a point, and in the mean of the last 100.
  const drawn = 2 * series["episode/reward"]!.count;
  await expect.poll(() => points(page, "Episode return")).toBe(drawn);
  await wire.close();
});
