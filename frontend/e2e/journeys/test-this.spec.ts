import { appendFile } from "node:fs/promises";
import path from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { broken } from "../accessible";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";

const HINT = "Nothing was learned yet";

test("a hint is tested after a confirmation and shows the result", async ({ page }) => {
  const service = await ownService({});
  try {
    const run = await runWithFlatReturn(page, service.url, service.runs);
    await page.goto(`${service.url}/runs/view?id=${run}`);
    const hints = page.getByRole("region", { name: "Hints" });
    const testThis = hints.getByRole("button", { name: "Test this" });

    await testThis.click();
    const asks = page.getByRole("dialog", { name: "Test this hint" });
    await expect(asks).toContainText("6: seeds 5, 6, 7, each without and with the change");
    await expect(asks).toContainText("New runs from the beginning");
    await expect(asks).toContainText("60,288 in total");
    expect(await broken(page)).toEqual([]);
    await asks.getByRole("button", { name: "Cancel" }).click();
    await expect(asks).toBeHidden();
    expect(await experiments(page, service.url), "nothing starts unconfirmed").toBe(0);

    await testThis.click();
    await asks.getByRole("button", { name: "Start 6 runs" }).click();
    const tests = hints.getByRole("list", { name: `Tests of “${HINT}”` });
    await expect(tests).toContainText("No difference: with each of 3 paired seeds", PATIENCE);
    await expect(hints).toContainText("Tested once on CartPole-v1 with PPO: no clear effect.");

    await tests.getByRole("link", { name: "Open the test" }).click();
    const card = page.getByRole("region", { name: "Test of a hint" });
    await expect(card).toContainText(`“${HINT}”`);
    await expect(card).toContainText("No difference");
    await expect(page.getByText("6 of 6 trials scored")).toBeVisible(PATIENCE);
    await card.getByRole("link", { name: "Run with the hint" }).click();
    await expect(hints).toBeVisible(PATIENCE);
    await page.goto(`${service.url}/experiments`);
    await expect(page.getByRole("list", { name: "Experiments" })).toContainText("Test: ");
  } finally {
    await service.close();
  }
});

/** A run whose evaluated return stays at 20. */
async function runWithFlatReturn(page: Page, url: string, runs: string): Promise<string> {
  const created = await page.request.post(`${url}/api/runs`, {
    data: {
      ...{ algo: "ppo", env_id: "CartPole-v1", preset: null, seed: 4, total_timesteps: 10_000 },
      hyperparameters: { n_steps: 64 },
    },
  });
  expect(created.ok()).toBe(true);
  const { id } = (await created.json()) as { id: string };
  const values = { "episode/reward": 20, "eval/mean_reward": 20 };
  const lines = Array.from({ length: 490 }, (_, place) =>
    JSON.stringify({ seq: place + 1, time: 1_700_000_000 + place, step: 100 + 20 * place, values }),
  );
  await appendFile(path.join(runs, id, "metrics.jsonl"), `${lines.join("\n")}\n`);
  return id;
}

async function experiments(page: Page, url: string): Promise<number> {
  const answer = await page.request.get(`${url}/api/experiments`);
  return ((await answer.json()) as { total: number }).total;
}
