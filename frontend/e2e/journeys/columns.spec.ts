import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";

test("trials of experiments are folded until they are shown", async ({ page }) => {
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

test("selected runs get a tag, which is taken from them again", async ({ page }) => {
  await page.goto("/?q=Sweep+1&seeds=apart");
  const boxes = page.locator("[role=row][data-index] [data-act=select]");
  await boxes.nth(0).click();
  await boxes.nth(1).click();
  const selected = page.getByRole("region", { name: "Selected runs" });
  const tag = async (action: string) => {
    await selected.getByRole("button", { name: "Tag 2 selected runs" }).click();
    await page.getByRole("combobox", { name: "Tag" }).fill("together");
    await page.getByRole("button", { name: action }).click();
  };
  const rows = page.getByRole("row").filter({ hasText: "together" });
  await tag("Add tag");
  await expect(rows).toHaveCount(2);
  await tag("Remove tag");
  await expect(rows).toHaveCount(0);
});

test("Esc leaves the search, and a page shows the settings in force", async ({ page }) => {
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
