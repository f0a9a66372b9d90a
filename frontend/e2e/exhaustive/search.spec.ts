import { expect, test } from "@playwright/test";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";

test("a search goes from the form to its results, which are marked, selected, saved and compared", async ({
  page,
}) => {
  const service = await ownService({});
  try {
    await page.goto(`${service.url}/experiments`);
    await page.getByRole("button", { name: "New experiment" }).click();
    const form = page.getByRole("dialog", { name: "New experiment" });
    await form.getByRole("radio", { name: "Search" }).focus();
    await page.keyboard.press("Space");
    await form.getByLabel("Environment").selectOption("FrozenLake-v1");
    await form.getByLabel("Algorithm").selectOption("q-learning");
    await form.getByLabel("Trials").fill("5");
    await form.getByLabel("Steps of each run").fill("600");
    await form.getByText("hyperparameters searched").click();
    await form.getByLabel("gamma: choices").fill("0.9, often");
    await expect(form.getByText("often: Enter a number.")).toBeVisible();
    await expect(form.getByRole("button", { name: "Start", exact: true })).toBeDisabled();
    await form.getByLabel("gamma: choices").fill("0.9, 0.99");
    await expect(form.getByRole("status")).toHaveText("5 runs, 3k steps in total");
    await form.getByRole("button", { name: "Start", exact: true }).click();

    await expect(page.getByText("5 of 5 trials complete")).toBeVisible(PATIENCE);
    const history = page.getByRole("img", { name: /^Objective of 5 trials/ });
    await expect(history.locator("[data-state=complete]")).toHaveCount(5);
    await expect(page.getByRole("region", { name: "Importance" })).toContainText("PED-ANOVA");

    const low = page.getByRole("slider", { name: "learning_rate, from" });
    await low.press("End");
    await expect(page.getByText(/^\d of 5 complete trials match/)).toBeVisible();
    await low.press("Escape");
    await page.getByRole("button", { name: "3", exact: true }).click();
    const trial = page.getByRole("region", { name: "Trial 3" });
    await trial.getByRole("button", { name: "Keep as preset" }).click();
    const keep = page.getByRole("dialog", { name: /^Keep trial 3/ });
    await keep.getByLabel("Title").fill("Of a test");
    await keep.getByRole("button", { name: "Keep" }).click();
    await expect(keep.getByRole("status")).toContainText("“Of a test” is kept");
    await keep.getByRole("button", { name: "Close" }).last().click();

    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.getByRole("slider", { name: "gamma, to" })).toBeVisible();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await trial.getByRole("link", { name: "Open its run" }).click();
    await expect(page).toHaveURL(/runs\/view\?id=q-learning/);
  } finally {
    await service.close();
  }
});
