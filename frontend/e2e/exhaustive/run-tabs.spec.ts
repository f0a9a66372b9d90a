import { expect, type Page, test } from "@playwright/test";
import { broken } from "../accessible";
import { boxOf, chart, points, tab, tabTo } from "../run-page";
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

test("tabs are opened by keyboard and as links in a new window", async ({ page, context }) => {
  await page.goto(runPage(seeded().recorded));
  await expectOpen(page, "Overview");
  await tabTo(page, tab(page, "Overview"));
  await page.keyboard.press("ArrowRight");
  await expect(tab(page, "Charts")).toBeFocused();
  await expectOpen(page, "Overview");
  await page.keyboard.press("Enter");
  await expectOpen(page, "Charts");
  await page.keyboard.press("End");
  await expect(tab(page, "Data")).toBeFocused();
  await page.keyboard.press("Space");
  await expectOpen(page, "Data");
  const opened = context.waitForEvent("page");
  await tab(page, "Control").click({ modifiers: ["ControlOrMeta"] });
  await expectOpen(await opened, "Control");
  await expectOpen(page, "Data");
});

test("no tab breaks an accessibility rule @phone", async ({ page }) => {
  const { recorded } = seeded();
  for (const name of Object.keys(SHOWN)) {
    await page.goto(runPage(recorded, name.toLowerCase()));
    await expectOpen(page, name);
    await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
    expect.soft(await broken(page), name).toEqual([]);
  }
});

test("charts are moved, resized and hidden, for all runs of their algorithm", async ({ page }) => {
  const { good, recorded } = seeded();
  await page.goto(runPage(good, "charts"));
  const charts = page.getByRole("list", { name: "Charts" }).locator(":scope > li");
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(0);
  const all = await charts.count();
  await button("Arrange").click();
  await button("Episode return: move on").click();
  await expect(charts.nth(1)).toContainText("Episode return");
  await button("Episode return: smaller").click();
  await button("Clip fraction: hide").click();
  await expect(charts).toHaveCount(all - 1);
  await button("Done").click();
  await page.reload();
  await expect(charts.nth(1)).toContainText("Episode return");
  await expect(charts).toHaveCount(all - 1);
  await page.goto(runPage(recorded, "charts"));
  await expect(charts.nth(1)).toContainText("Episode return");
  await expect(button("Show Clip fraction")).toBeVisible();
  await button("Show Clip fraction").click();
  await button("Arrange").click();
  await button("Restore the usual layout").click();
  await expect(charts.first()).toContainText("Episode return");
  await expect(charts).toHaveCount(all);
});

test("a run is forked from its menu, and at a point of its curve on any chart", async ({
  page,
}) => {
  await page.goto(runPage(seeded().recorded, "charts"));
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Fork…" }).click();
  await expect(page.getByRole("dialog", { name: /^Fork at/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(0);
  const { width, height } = await boxOf(chart(page, "Episode return"));
  await chart(page, "Episode return").click({
    position: { x: width / 2, y: height / 3 },
    force: true,
  });
  const chosen = page.getByRole("group", { name: /^Step [\d,]+$/ });
  const step = (await chosen.getAttribute("aria-label"))!.toLowerCase();
  await chosen.getByRole("button", { name: "Fork here…" }).click();
  await expect(page.getByRole("dialog", { name: `Fork at ${step}` })).toBeVisible();
  await page.keyboard.press("Escape");
  await chosen.getByRole("button", { name: "Watch policy" }).click();
  await expectOpen(page, "Overview");
  await expect(page.getByRole("radio", { name: "Moment" })).toBeChecked();
});
