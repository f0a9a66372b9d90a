import { expect, test } from "@playwright/test";

test("the theme follows the system until one is chosen @phone", async ({ page }) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/compare");
  expect(await theme()).toBe("dark");
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(theme).toBe("light");
  await page.getByRole("radio", { name: /dark/i }).check({ force: true });
  await expect.poll(theme).toBe("dark");
  await page.reload();
  expect(await theme()).toBe("dark");
});

test("a link and the palette open the form with an environment", async ({ page }) => {
  const form = page.getByRole("dialog", { name: /New run/i });
  await page.goto("/?new=Acrobot-v1");
  await expect(form.getByRole("button", { name: /Environment/ })).toContainText("Acrobot");
  await page.keyboard.press("Escape");
  await expect(form).toHaveCount(0);
  await expect(page).toHaveURL("/");
  await expect(page.locator("[data-connection=live]")).toBeAttached();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("taxi"); // on which no other test trains a run, which would be found first
  await expect(page.getByRole("option", { name: /Taxi/ }).first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(form.getByRole("button", { name: /Environment/ })).toContainText("Taxi");
});

test("an unknown page gets the front end's own 404", async ({ page }) => {
  const answer = await page.goto("/no/such/page");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeAttached();
  await page.getByRole("link", { name: "Go to your runs" }).click();
  await expect(page).toHaveURL("/");
});

test("the list of runs is navigated, selected and acted on by keyboard shortcuts", async ({
  page,
}) => {
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
