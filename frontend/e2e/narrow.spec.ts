import { expect, test } from "@playwright/test";
import { sideways } from "./run-page";
import { comparePage, runPage, seeded } from "./seeded";

test("no page scrolls sideways at 320 pixels", async ({ page }) => {
  const { good, slow, created, failed, hostile, acrobot } = seeded();
  await page.setViewportSize({ width: 320, height: 700 });
  for (const address of [
    "/",
    "/?new",
    runPage(good),
    runPage(created),
    runPage(failed),
    runPage(hostile),
    comparePage(good, slow, hostile, created, acrobot),
    "/compare",
    "/explain",
    `/explain?run=${slow}`,
    "/runs/view",
    "/nope",
  ]) {
    await page.goto(address);
    await expect(page.locator("main")).not.toBeEmpty();
    await expect(page.locator("[data-connection=live]")).toBeAttached();
    await page
      .locator("details")
      .evaluateAll((all) => all.forEach((each) => each.setAttribute("open", "")));
    expect(await sideways(page), address).toBe(0);
  }
  await page.context().setOffline(true);
  await expect(page.locator("[data-connection=reconnecting]")).toBeAttached();
  expect(await sideways(page), "a cut connection").toBe(0);
});
