import { expect, type Page, test } from "@playwright/test";
import { status } from "./run-page";

test.describe.configure({ mode: "serial", timeout: 300_000 });

const live = (page: Page) => page.getByRole("region", { name: "Live", exact: true });
const canvas = (page: Page) => live(page).getByRole("img", { name: /plays CartPole-v1$/ });
const frames = async (page: Page) => Number(await canvas(page).getAttribute("data-frames"));
const policyStep = async (page: Page) => {
  const words = await live(page)
    .getByText(/^Plays the .*policy/)
    .innerText();
  return Number(/step ([\d,]+)/.exec(words)?.[1]?.replaceAll(",", ""));
};
const SLOW = { timeout: 60_000 };

let run = "";

test.afterAll(async ({ request }) => {
  await request.post(`/api/runs/${run}/stop`);
});

test("the agent plays and shows what it thinks while it trains", async ({ page }) => {
  const answer = await page.request.post("/api/runs", {
    data: {
      ...{ algo: "ppo", env_id: "CartPole-v1", name: "Watched" },
      ...{ total_timesteps: 2_000_000, start: true },
    },
  });
  run = ((await answer.json()) as { id: string }).id;
  await page.goto(`/runs/view?id=${run}`);
  await expect(status(page, "running")).toBeVisible(SLOW);
  await expect.poll(() => frames(page), SLOW).toBeGreaterThan(5);

  const readings = live(page).getByRole("region", { name: "Action probabilities" });
  await expect(readings).toContainText("push left");
  await expect(readings.getByText(/\d%$/)).toHaveCount(2);
  await expect(live(page).getByRole("region", { name: "Observation" })).toContainText("pole angle");

  const first = await policyStep(page);
  await expect.poll(() => policyStep(page), SLOW).toBeGreaterThan(first);
});

test("actions are chosen greedily or not, and a moment can be gone back to", async ({ page }) => {
  await page.goto(`/runs/view?id=${run}`);
  await expect.poll(() => frames(page), SLOW).toBeGreaterThan(5);
  await live(page).getByRole("radio", { name: "Exploring" }).check({ force: true });
  await expect(live(page).getByRole("radio", { name: "Exploring" })).toBeChecked();
  const before = await frames(page);
  await expect.poll(() => frames(page), SLOW).toBeGreaterThan(before + 3);

  const reward = live(page).getByRole("slider", { name: "Reward over the episode" });
  await reward.focus();
  await page.keyboard.press("Home");
  await expect(reward).toHaveAttribute("aria-valuetext", /^step 0:/);
  await expect(live(page).getByText("The reset of the environment")).toBeVisible();
  const still = await frames(page);
  await page.waitForTimeout(1000);
  expect(await frames(page)).toBeLessThanOrEqual(still + 1);
  await live(page).getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(() => frames(page), SLOW).toBeGreaterThan(still + 3);
});
