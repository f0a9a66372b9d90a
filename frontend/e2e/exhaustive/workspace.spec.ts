import { expect, type Page, test } from "@playwright/test";
import { tabTo } from "../run-page";
import { comparePage, seeded } from "../seeded";

const legend = (page: Page) => page.getByRole("table", { name: "Compared runs" });
const card = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true });

test("the keyboard hides a line, sorts the table and removes a run", async ({ page }) => {
  const { good, slow, bare } = seeded();
  await page.goto(comparePage(good, slow, bare));
  const show = legend(page).getByRole("button", { name: "Show PPO baseline" });
  await expect(show).toBeVisible();
  await tabTo(page, show);
  await page.keyboard.press("Space");
  await expect(show).toHaveAttribute("aria-pressed", "false");
  await expect(page).toHaveURL(new RegExp(`hidden=${good}`));
  const sort = legend(page).getByRole("columnheader", { name: "Return" });
  await sort.getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect(sort).toHaveAttribute("aria-sort", "descending");
  await expect(legend(page).getByRole("rowheader").first()).toContainText("PPO baseline");
  await legend(page).getByRole("button", { name: "Remove PPO baseline" }).focus();
  await page.keyboard.press("Enter");
  await expect(legend(page).getByRole("rowheader")).toHaveCount(2);
});

test("two completed runs of one environment are compared if the address names none", async ({
  page,
}) => {
  await page.goto("/compare");
  await expect(page.getByText(/^Two completed runs on .+, chosen for you/)).toBeVisible();
  await expect(legend(page).getByRole("rowheader")).toHaveCount(2);
  await expect(card(page, "In short")).toBeVisible();
  await legend(page)
    .getByRole("button", { name: /^Remove/ })
    .first()
    .click();
  await expect(page).toHaveURL(/runs=/);
  await expect(page.getByText("Choose another run to compare with")).toBeVisible();
  await legend(page)
    .getByRole("button", { name: /^Remove/ })
    .first()
    .click();
  await expect(page.getByText("Choose two or more runs")).toBeVisible();
});
