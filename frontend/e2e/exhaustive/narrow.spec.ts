import { expect, test } from "@playwright/test";
import { PARTS, visit } from "../pages";
import { sideways } from "../run-page";
import { seeded } from "../seeded";

const softly = expect.configure({ soft: true });

test.use({ viewport: { width: 320, height: 700 } });

for (const [part, places] of Object.entries(PARTS)) {
  test(`no ${part} scrolls sideways at 320 pixels`, async ({ page }) => {
    for (const place of places(seeded())) {
      await visit(page, place);
      // What was closed learns how wide it may be only once it is open.
      await softly.poll(() => sideways(page), { message: place.address }).toBe(0);
    }
  });
}

test("a page whose connection is cut does not scroll sideways at 320 pixels", async ({ page }) => {
  await page.goto("/trash");
  await expect(page.locator("[data-connection=live]")).toBeAttached();
  await page.context().setOffline(true);
  await expect(page.locator("[data-connection=reconnecting]")).toBeAttached();
  expect(await sideways(page)).toBe(0);
});
