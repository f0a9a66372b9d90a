import { expect, test } from "@playwright/test";

test("trials of experiments are folded until they are shown", async ({ page }) => {
  await page.goto("/");
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
  await expect(page.getByRole("list", { name: "Settings" }).getByRole("listitem")).toHaveCount(1);
  await expect(page.getByText("RLVIZ_MAX_CONCURRENT_RUNS")).toBeVisible();
});
