import { expect, type Locator, test } from "@playwright/test";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";

/** `RLVIZ_E2E_PICTURES` is a folder for pictures to review. */
const pictures = process.env.RLVIZ_E2E_PICTURES;

test("variants are compared in two environments, each by its own threshold", async ({ page }) => {
  const service = await ownService();
  try {
    await page.goto(`${service.url}/experiments`);
    await page.getByRole("button", { name: "New experiment" }).click();
    const form = page.getByRole("dialog", { name: "New experiment" });
    await form.getByLabel("Environment").selectOption("FrozenLake-v1");
    await form.getByLabel("Algorithm 1").selectOption("q-learning");
    await form.getByLabel("Algorithm 2").selectOption("q-learning");
    await form.getByLabel("Preset 2").selectOption("stable");
    await form.getByRole("button", { name: "Another environment" }).click();
    await form.getByLabel("Environment 2", { exact: true }).selectOption("Taxi-v4");
    await form.getByLabel("Seeds of each").selectOption("1");
    await form.getByLabel("Steps of each run").fill("5000");
    await expect(form.getByRole("status")).toHaveText("4 runs, 20k steps in total");
    if (pictures) await page.screenshot({ path: `${pictures}/places-form.png` });
    await refusedInView(form);
    await form.getByRole("button", { name: "Start", exact: true }).click();
    await expect(
      page.getByRole("heading", { name: /on FrozenLake-v1 and Taxi-v4$/ }),
    ).toBeVisible();
    await expect(page.getByText("4 of 4 trials scored")).toBeVisible(TRAINED);
    const steps = page.getByRole("region", { name: "Steps to the threshold of each environment" });
    await expect(steps.getByText("0.7000 on FrozenLake-v1").first()).toBeVisible(PATIENCE);
    await expect(steps.getByText("8.00 on Taxi-v4").first()).toBeVisible();
    if (pictures) await page.screenshot({ path: `${pictures}/places.png`, fullPage: true });
  } finally {
    await service.close();
  }
});

/** Time for all trials to end. */
const TRAINED = { timeout: 400_000 };

/** A limit that no trial fits into: it is reported at the bottom of the form, and at its collapsed field. */
async function refusedInView(form: Locator) {
  const advanced = form.getByText("Advanced", { exact: true });
  const limit = form.getByLabel("Steps together");
  await advanced.click();
  await limit.fill("10");
  await advanced.click();
  await form.getByRole("button", { name: "Start", exact: true }).click();
  await expect(form.getByRole("alert")).toBeInViewport({ ratio: 1 });
  await expect(limit).toBeFocused();
  await expect(limit).toBeInViewport({ ratio: 1 });
  await limit.fill("");
  await expect(form.getByRole("alert")).toHaveCount(0);
}
