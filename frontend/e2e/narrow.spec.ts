import { expect, test } from "@playwright/test";
import { places, visit } from "./pages";
import { sideways } from "./run-page";

const softly = expect.configure({ soft: true });

test("no page scrolls sideways at 320 pixels", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  for (const place of places()) {
    await visit(page, place);
    // What was closed learns how wide it may be only once it is open.
    await softly.poll(() => sideways(page), { message: place.address }).toBe(0);
  }
  await page.context().setOffline(true);
  await expect(page.locator("[data-connection=reconnecting]")).toBeAttached();
  expect(await sideways(page), "a cut connection").toBe(0);
});
