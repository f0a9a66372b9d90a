import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { chart, points, status } from "../run-page";
import { openMore } from "../new-run";

/** `lights.py` is the example of the guide, outside the repository. Only RLVIZ_ENVIRONMENTS names it. */
test("a user environment is chosen, trained and drawn like any other", async ({ page }) => {
  await page.goto("/?new");
  const form = page.getByRole("form", { name: "New run" });
  await form.getByRole("button", { name: /^Environment:/ }).click();
  await page
    .getByRole("group", { name: "Custom" })
    .getByRole("option", { name: /^Lights/ })
    .click();
  await expect(form.getByText("Switch on the light that is dark.")).toBeVisible();
  await openMore(page);
  await form.getByLabel("Timesteps").fill("2000");
  await form.getByLabel("Seed", { exact: true }).fill("1");
  await form.getByRole("button", { name: "Start training" }).click();

  await expect(status(page, "completed")).toBeVisible(PATIENCE);
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(50);
  await expect(chart(page, "Episode return")).toHaveAccessibleName(
    /^Episode return at step [12]\.\d+k: .*Reward threshold 18/,
  );
});
