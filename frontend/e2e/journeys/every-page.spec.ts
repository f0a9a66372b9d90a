import { expect, test } from "@playwright/test";
import { broken } from "../accessible";
import { PARTS, visit } from "../pages";
import { sideways } from "../run-page";
import { seeded } from "../seeded";

const softly = expect.configure({ soft: true });
const PHONE = { width: 390, height: 844 };

for (const [part, places] of Object.entries(PARTS)) {
  test(`every ${part} opens without an error and fits a phone, and the first is accessible`, async ({
    page,
    viewport,
  }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    const once = places(seeded()).filter(({ again }) => !again);
    for (const [number, place] of once.entries()) {
      await visit(page, place);
      expect.soft(errors.splice(0), place.address).toEqual([]);
      if (number === 0) expect.soft(await broken(page), place.address).toEqual([]);
      await page.setViewportSize(PHONE);
      await softly.poll(() => sideways(page), { message: place.address }).toBe(0);
      await page.setViewportSize(viewport!);
    }
  });
}
