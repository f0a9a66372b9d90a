import { expect, type Page, test } from "@playwright/test";

const rows = (page: Page) => page.locator("[role=row][data-index]");
const row = (page: Page, name: string) =>
  rows(page).filter({ has: page.getByText(name, { exact: true }) });

test("a link that is followed while a word is typed leads on, and Back to what the word found", async ({
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

/** Within the pause after which the list follows what is typed. */
const follow = (link: Element) =>
  new Promise<void>((done) => {
    setTimeout(() => {
      (link as HTMLElement).click();
      done();
    }, 60);
  });
