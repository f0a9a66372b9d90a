import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { live, status } from "../run-page";
import { frames, watchedRun } from "../watched";

test.describe.configure({ mode: "serial" });
test.use({ contextOptions: { reducedMotion: "no-preference" } }); // otherwise it plays on request only

const policyStep = async (page: Page) => {
  const words = await live(page).getByRole("heading", { level: 2 }).innerText();
  return Number(/step ([\d,]+)/.exec(words)?.[1]?.replaceAll(",", ""));
};

const run = watchedRun();

test("the agent plays and shows its predictions while it trains", async ({ page }) => {
  await page.goto(`/runs/view?id=${run()}`);
  await expect(status(page, "running")).toBeVisible(PATIENCE);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);

  const readings = live(page).getByRole("region", { name: "Action probabilities" });
  await expect(readings).toContainText("push left");
  await expect(readings.getByText(/\d%$/)).toHaveCount(2);
  await expect(live(page).getByRole("region", { name: "Observation" })).toContainText("pole angle");

  const first = await policyStep(page);
  await expect.poll(() => policyStep(page), PATIENCE).toBeGreaterThan(first);
});
