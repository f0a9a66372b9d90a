import { expect, type Page, test } from "@playwright/test";

import { tab } from "../run-page";
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

test("an address or link from before tabs existed opens the tab with its content", async ({
  page,
}) => {
  const { recorded } = seeded();
  for (const [search, name] of [
    ["&details=log", "Data"],
    ["#details", "Data"],
    ["&details=snapshots", "Control"],
    ["&details=rules", "Control"],
    ["&view=evaluation", "Episodes"],
    ["&view=moment", "Overview"],
    ["&chart=train%2Floss&from=0&to=1000", "Charts"],
  ] as const) {
    await page.goto("/trash");
    await page.goto(`${runPage(recorded)}${search}`);
    await expectOpen(page, name);
  }
  await page.goto(`${runPage(recorded)}&details=files`);
  await expect(page.getByRole("tab", { name: "Files" })).toHaveAttribute("aria-selected", "true");
});
