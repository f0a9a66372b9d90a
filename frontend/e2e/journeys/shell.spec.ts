import { expect, test } from "@playwright/test";

test("an unknown page gets the front end's own 404", async ({ page }) => {
  const answer = await page.goto("/no/such/page");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeAttached();
  await page.getByRole("link", { name: "Go to your runs" }).click();
  await expect(page).toHaveURL("/");
});

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

test("the list of runs is gone through, selected and acted on by its letters", async ({ page }) => {
  await page.goto("/");
  const rows = page.locator("[role=row][data-index]");
  await expect(rows.first().getByRole("link")).toBeVisible();
  // From elsewhere on the page the first step leads into the list.
  await page.keyboard.press("j");
  await expect(rows.and(page.locator("[data-index='0']"))).toBeFocused();
  await page.keyboard.press("j");
  await expect(rows.and(page.locator("[data-index='1']"))).toBeFocused();
  await page.keyboard.press("k");
  await expect(rows.and(page.locator("[data-index='0']"))).toBeFocused();
  await page.keyboard.press("x");
  await expect(page.locator("[data-index='0']")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("x");
  await expect(page.locator("[data-index='0']")).toHaveAttribute("aria-selected", "false");
  await page.keyboard.press("m");
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
});
