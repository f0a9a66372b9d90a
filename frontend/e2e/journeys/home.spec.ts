import { expect, type Page, test } from "@playwright/test";
import { answer, emptyList, refuse } from "../answers";
import { comparePage, runPage, seeded } from "../seeded";

const rows = (page: Page) => page.locator("[role=row][data-index]");
const row = (page: Page, name: string) =>
  rows(page).filter({ has: page.getByText(name, { exact: true }) });
const LIST = /^\/runs$/;

test("the list shows every run with its status @phone", async ({ page }) => {
  // A phone shows a few lines at a time, and other tests make runs too.
  await page.goto("/?q=PPO+baseline");
  await expect(row(page, "PPO baseline")).toContainText("completed");
  await page.goto("/?q=Live+1");
  await expect(row(page, "Live 1")).toContainText("running");
});

test("names, tags and notes that look like code are shown as text everywhere", async ({ page }) => {
  const { good, hostile } = seeded();
  const name = '<img src=x onerror="window.hacked=1">';
  const complaints: string[] = [];
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => complaints.push("a dialog")));
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text());
  });
  for (const [address, texts] of [
    ["/?q=onerror", [name, "<b>bold</b>"]],
    [runPage(hostile), [name, "<b>bold</b>", '"><script>window.hacked = 1</script>']],
    [comparePage(good, hostile), [name]],
    [`/explain?run=${hostile}`, [name]],
  ] as const) {
    await page.goto(address);
    for (const text of texts) {
      await expect(page.getByText(text).filter({ visible: true }).first()).toBeVisible();
    }
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  }
  expect(complaints).toEqual([]);
});

test("search and filters narrow the list, stay in the address and can be shared", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Status", exact: true }).first().click();
  await page.getByRole("option", { name: /^failed/i }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/status=failed/);
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await expect(row(page, "Learning rate too high")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search runs" }).fill("nothing has this name");
  await expect(page.getByText(/^No run/).first()).toBeVisible();
});

test("selected runs are compared @phone", async ({ page }) => {
  await page.goto("/?q=baseline");
  await row(page, "PPO baseline").locator("[data-act=select]").click();
  await row(page, "DQN baseline").locator("[data-act=select]").click();
  await page
    .getByRole("region", { name: "Selected runs" })
    .getByRole("link", { name: "Compare" })
    .click();
  await expect(page).toHaveURL(/\/compare\?runs=[a-z0-9-]+,[a-z0-9-]+$/);
  await expect(
    page.getByRole("table", { name: "Compared runs" }).getByRole("rowheader"),
  ).toHaveCount(2);
});

test("Undo restores a deleted run @phone", async ({ page }, { project }) => {
  const name = project.name === "phone" ? "Sweep 10" : "Sweep 12"; // both widths may be at it at once
  await page.goto(`/?q=${name}`);
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: /^Delete/ }).click();
  await expect(row(page, name)).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row(page, name)).toBeVisible();
});

test("an empty list explains itself, and a failed one says so and can be retried @phone", async ({
  page,
}) => {
  await answer(page, LIST, () => emptyList);
  await page.goto("/");
  await expect(page.getByText("No runs yet")).toBeVisible();
  await expect(page.getByRole("button", { name: "Train CartPole with PPO" })).toBeEnabled();

  await page.unrouteAll({ behavior: "ignoreErrors" });
  await refuse(page, LIST);
  await page.reload();
  await expect(page.getByRole("alert").getByText("The catalogue is busy")).toBeVisible();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator("[role=row][data-index]").first()).toBeVisible();
});
