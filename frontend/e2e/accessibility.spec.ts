import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { startRun, status } from "./run-page";

for (const colorScheme of ["light", "dark"] as const) {
  test(`no page breaks an accessibility rule (${colorScheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await startRun(page, 2_000);
    await expect(status(page, "completed")).toBeVisible({ timeout: 60_000 });
    await expect(page.getByText("No evaluation yet")).toBeVisible();
    const run = page.url();
    for (const address of [run, "/", "/compare", "/explain", "/runs/view", "/nope"]) {
      await page.goto(address);
      await expect(page.locator("[data-connection=live]")).toBeVisible();
      await page
        .locator("details")
        .evaluateAll((all) => all.forEach((each) => each.setAttribute("open", "")));
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`,
      );
      expect(found, address).toEqual([]);
    }
  });
}
