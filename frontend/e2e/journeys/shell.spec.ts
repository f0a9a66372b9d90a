import { expect, test } from "@playwright/test";

test("the palette finds pages and runs, and the sheet shows the keys", async ({ page }) => {
  await page.goto("/explain");
  await expect(page.locator("[data-connection=live]")).toBeAttached();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.type("DQN baseline");
  await expect(page.getByRole("option", { name: /DQN baseline/ }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await expect(page).toHaveURL("/compare");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Go to Compare");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});
