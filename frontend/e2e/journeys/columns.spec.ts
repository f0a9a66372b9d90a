import { expect, test } from "@playwright/test";

test("a tag is added to selected runs and removed again", async ({ page }) => {
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
