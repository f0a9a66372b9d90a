import { expect, type Page, test } from "@playwright/test";
import { openMore } from "../new-run";

const rows = (page: Page) => page.locator("[role=row][data-index]");
const row = (page: Page, name: string) =>
  rows(page).filter({ has: page.getByText(name, { exact: true }) });

test("a link followed during typing opens, and Back returns to the search results", async ({
  page,
}) => {
  await page.goto("/");
  await expect(rows(page).first()).toBeVisible();
  await page.getByRole("searchbox", { name: "Search runs" }).focus();
  await page.keyboard.type("baseline");
  await page.getByRole("link", { name: "Experiments" }).first().evaluate(follow);
  await expect(page.getByRole("heading", { name: "Experiments", level: 1 })).toBeVisible();
  await page.waitForTimeout(500); // longer than the list waits for more of the word
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/experiments");
  await page.goBack();
  await expect(page).toHaveURL(/\/\?q=baseline$/);
  await expect(row(page, "PPO baseline")).toBeVisible();
});

/** Shorter than the delay after which the list follows the typed text. */
const follow = (link: Element) =>
  new Promise<void>((done) => {
    setTimeout(() => {
      (link as HTMLElement).click();
      done();
    }, 60);
  });

test("Duplicate opens the form filled in from the run @phone", async ({ page }) => {
  await page.goto("/?q=Sweep+11");
  await page.getByRole("button", { name: "Actions for Sweep 11" }).click();
  await page.getByRole("menuitem", { name: /^Duplicate/ }).click();
  const form = page.getByRole("form", { name: "New run" });
  await expect(form.getByLabel("Timesteps")).toHaveValue("50000");
  await expect(form.getByRole("radio", { name: /^PPO/ })).toBeChecked();
});

test("values out of bounds are refused at their fields and nothing is created", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 640 });
  await page.goto("/?new");
  const form = await openMore(page);
  const timesteps = form.getByLabel("Timesteps");
  const isCovered = () =>
    timesteps.evaluate((field) => {
      const { x, y, width, height } = field.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) !== field;
    });
  await timesteps.fill("3");
  await timesteps.evaluate((field) => field.scrollIntoView({ block: "end" }));
  expect(await isCovered(), "by the buttons at the foot of the form, at first").toBe(true);
  await form.getByRole("button", { name: "Start training" }).click();
  await expect(timesteps).toHaveAccessibleDescription(/^Must be .* to /);
  await expect(timesteps).toBeFocused();
  await expect.poll(isCovered).toBe(false);

  const seed = form.getByLabel("Seed", { exact: true });
  await seed.fill("one");
  await form.getByRole("button", { name: "Start training" }).click();
  await expect(seed).toHaveAccessibleDescription("Enter a whole number");
  await expect(timesteps).toBeFocused();
});
