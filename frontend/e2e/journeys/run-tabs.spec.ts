import { expect, type Page, test } from "@playwright/test";
import { sideways, tab } from "../run-page";
import { runPage, seeded } from "../seeded";

/** The first content of each tab by its label. */
const SHOWN: Record<string, (page: Page) => ReturnType<Page["locator"]>> = {
  Overview: (page) => page.getByRole("region", { name: "Progress" }),
  Charts: (page) => page.getByRole("list", { name: "Charts" }),
  Episodes: (page) => page.getByRole("form", { name: "New evaluation" }),
  Inside: (page) => page.getByRole("region", { name: "Inside the updates" }),
  Control: (page) => page.getByRole("region", { name: "Snapshots", exact: true }),
  Data: (page) => page.getByRole("region", { name: "Data", exact: true }),
};

async function expectOpen(page: Page, name: string) {
  await expect(tab(page, name)).toHaveAttribute("aria-selected", "true");
  await expect(SHOWN[name]!(page)).toBeVisible();
}

test("each tab has an address, and Back and Forward switch tabs @phone", async ({ page }) => {
  await page.goto(runPage(seeded().recorded));
  await expectOpen(page, "Overview");
  for (const name of ["Charts", "Episodes", "Inside", "Control", "Data"]) {
    await tab(page, name).click();
    await expectOpen(page, name);
    await expect(page).toHaveURL(new RegExp(`&tab=${name.toLowerCase()}$`));
    expect(await sideways(page)).toBe(0);
  }
  await page.reload();
  await expectOpen(page, "Data");
  for (const name of ["Control", "Inside", "Episodes", "Charts", "Overview"]) {
    await page.goBack();
    await expectOpen(page, name);
  }
  await page.goForward();
  await expectOpen(page, "Charts");
});
