import { expect, type Page, test } from "@playwright/test";
import { startRun, status } from "./run-page";

const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test("an unknown page gets the front end's own 404", async ({ page }) => {
  const answer = await page.goto("/no/such/page");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeAttached();
  await page.getByRole("link", { name: "Go to your runs" }).click();
  await expect(page.getByRole("heading", { name: "Runs" })).toBeVisible();
});

test("a run that is not there says so", async ({ page }) => {
  for (const [query, words] of [
    ["", "No run was named"],
    ["?id=no-such-run", "This run does not exist"],
    ["?id=..%2F..%2Fetc", "This run does not exist"],
  ] as const) {
    await page.goto(`/runs/view${query}`);
    await expect(page.getByText(words)).toBeVisible();
  }
});

test("values out of bounds are refused beside their fields, with nothing created", async ({
  page,
}) => {
  await page.goto("/?new");
  const form = page.getByRole("form", { name: "New run" });
  await form.getByLabel("Timesteps").fill("3");
  await form.getByLabel("Seed").fill("one");
  await form.getByRole("button", { name: "Start training" }).click();
  await expect(form.getByLabel("Timesteps")).toHaveAccessibleDescription(/^Must be .* to /);
  await expect(form.getByLabel("Seed")).toHaveAccessibleDescription("Enter a whole number");
  await expect(form.getByLabel("Timesteps")).toBeFocused();
  await expect(page).toHaveURL("/?new");
});

test("no page scrolls sideways on a phone", async ({ page }) => {
  await startRun(page, 2_000);
  await expect(status(page, "completed")).toBeVisible({ timeout: 60_000 });
  await page.setViewportSize({ width: 390, height: 844 });
  const run = new URL(page.url());
  for (const path of [
    run.pathname + run.search,
    "/",
    "/compare",
    "/explain",
    "/runs/view",
    "/nope",
  ]) {
    await page.goto(path);
    await expect(page.locator("main")).not.toBeEmpty();
    await page.waitForLoadState("load");
    await page
      .locator("details")
      .evaluateAll((all) => all.forEach((each) => each.setAttribute("open", "")));
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await sideways(page), `${path} at ${width}`).toBe(0);
    }
  }
  await page.setViewportSize({ width: 320, height: 844 });
  await page.context().setOffline(true);
  await expect(page.locator("[data-connection=reconnecting]")).toBeVisible();
  expect(await sideways(page), "a cut connection").toBe(0);
});

test("everything is reached by keyboard", async ({ page }) => {
  await page.goto("/");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("searchbox", { name: "Search runs" })).toBeFocused();
});
