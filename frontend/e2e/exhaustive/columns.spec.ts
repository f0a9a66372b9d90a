import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";

test("a hyperparameter is added as a column, moved, resized and kept", async ({ page }) => {
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

test("trials of experiments are collapsed until they are expanded", async ({ page }) => {
  await page.goto("/");
  const experiments = page.getByRole("list", { name: "Experiments", exact: true });
  await experiments
    .getByRole("button", { name: /^Trials of/ })
    .first()
    .click();
  await expect(experiments.getByRole("link", { name: /seed \d+/ }).first()).toBeVisible(PATIENCE);
  await page.getByRole("button", { name: /^\d+ trials of experiments folded$/ }).click();
  await expect(page).toHaveURL(/trials=shown/);
  await expect(page.getByRole("button", { name: "Fold trials of experiments" })).toHaveAttribute(
    "aria-expanded",
    "true",
  );
});

test("Esc leaves the search, and a page shows the active settings", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("[role=row][data-index]").first()).toBeVisible();
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox");
  await expect(search).toBeFocused();
  await page.keyboard.type("PPO");
  await page.keyboard.press("Escape");
  await expect(search).not.toBeFocused();
  await expect(page).toHaveURL(/q=PPO/);

  await page.keyboard.press("g");
  await page.keyboard.press(",");
  await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  await page.getByRole("searchbox", { name: "Filter settings" }).fill("concurrent");
  const changeable = page.getByRole("list", { name: "Settings that can be changed here" });
  await expect(changeable.getByRole("listitem")).toHaveCount(1);
  await expect(changeable.getByText("RLVIZ_MAX_CONCURRENT_RUNS", { exact: true })).toBeVisible();
  await expect(changeable.getByText(/^Set by an environment variable, which wins/)).toBeVisible();

  await page.getByRole("searchbox", { name: "Filter settings" }).fill("trash");
  const days = changeable.getByRole("textbox", { name: "Trash days" });
  await days.fill("9");
  await page.keyboard.press("Enter");
  await expect(changeable.getByText("settings page")).toBeVisible();
  await changeable.getByRole("button", { name: "Reset Trash days" }).click();
  await expect(days).toHaveValue("7");
});
