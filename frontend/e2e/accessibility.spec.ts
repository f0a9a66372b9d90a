import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { comparePage, runPage, seeded } from "./seeded";

interface Visit {
  address: string;
  /** Opens what the page keeps closed. */
  open?: (page: Page) => Promise<unknown>;
}

function visits(): Visit[] {
  const { good, slow, hostile, failed, stopped, live } = seeded();
  return [
    { address: "/" },
    { address: "/?q=baseline", open: selectAndOpenMenu },
    { address: "/?new" },
    { address: runPage(good), open: openEvaluationOptions },
    { address: runPage(slow) },
    { address: runPage(live[0]!) },
    { address: runPage(failed) },
    { address: runPage(stopped) },
    { address: comparePage(good, slow, hostile) },
    { address: "/compare", open: (page) => page.getByRole("button", { name: "Add runs" }).click() },
    { address: "/analyse" },
    { address: "/analyse?view=scatter" },
    { address: "/analyse?view=pivot" },
    { address: "/analyse?view=sql" },
    { address: "/explain" },
    { address: `/explain?run=${slow}` },
    { address: "/runs/view" },
    { address: "/nope", open: (page) => page.keyboard.press("Control+k") },
    { address: "/nope", open: (page) => page.keyboard.press("?") },
  ];
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`no page breaks an accessibility rule (${colorScheme})`, async ({ page }) => {
    test.setTimeout(480_000);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const { address, open } of visits()) {
      await page.goto(address);
      await expect(page.locator("[data-connection=live]")).toBeAttached();
      await expect(page.locator("main")).not.toBeEmpty();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await page
        .locator("details")
        .evaluateAll((all) => all.forEach((each) => each.setAttribute("open", "")));
      await open?.(page);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 300)).join(" | ")}`,
      );
      expect.soft(found, address).toEqual([]);
    }
  });
}

async function selectAndOpenMenu(page: Page) {
  const row = page.locator("[role=row][data-index]").first();
  await row.locator("[data-act=select]").click();
  await row.locator("[data-act=menu]").click();
  await expect(page.getByRole("menu")).toBeVisible();
}

async function openEvaluationOptions(page: Page) {
  const card = page.getByRole("region", { name: "Evaluation" });
  await card.getByRole("button", { name: "Options" }).click();
  await card.getByRole("button", { name: "Keyboard shortcuts" }).click();
}
