import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";

test("a hyperparameter becomes a column, which is moved, resized and kept", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/?q=baseline");
  await page.getByRole("button", { name: "Columns" }).click();
  const menu = page.getByRole("dialog", { name: "Columns" });
  await menu.getByPlaceholder("Search").fill("learning_rate");
  await menu.getByRole("option", { name: "learning_rate", exact: true }).click(PATIENCE);
  await page.keyboard.press("Escape");
  const titles = page.getByRole("columnheader");
  const added = titles.and(page.getByLabel("learning_rate", { exact: true }));
  await expect(added).toBeVisible();
  const cell = page
    .locator("[role=row][data-index]")
    .first()
    .getByText(/^0\.\d+$/);
  await expect(cell.first()).toBeVisible(PATIENCE);
  await added.getByRole("button").click();
  await expect(added).toHaveAttribute("aria-sort", "ascending");
  await expect(page).toHaveURL(/sort=hp_learning_rate/);
  await expect(page.locator("[role=row][data-index]").first()).toContainText("baseline");

  const names = () =>
    titles.evaluateAll((all) => all.map((title) => title.getAttribute("aria-label")));
  const before = (await names()).indexOf("learning_rate");
  await added.getByRole("button").focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(async () => (await names()).indexOf("learning_rate")).toBe(before - 1);
  await titles
    .and(page.getByLabel("Trend", { exact: true }))
    .dragTo(titles.and(page.getByLabel("Algorithm", { exact: true })));
  await expect.poll(async () => (await names()).indexOf("Trend")).toBe(2);

  const width = page.getByRole("separator", { name: "Width of learning_rate" });
  const wide = Number(await width.getAttribute("aria-valuenow"));
  await width.focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect
    .poll(async () => Number(await width.getAttribute("aria-valuenow")))
    .toBeLessThan(wide);

  const kept = await names();
  await page.reload();
  await expect(added).toBeVisible();
  expect(await names()).toEqual(kept);
});
