import { expect, test } from "@playwright/test";
import { broken } from "../accessible";
import { PARTS, visit } from "../pages";
import { seeded } from "../seeded";

for (const [part, places] of Object.entries(PARTS)) {
  test(`every ${part} opens without an error, and the first is accessible`, async ({ page }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    for (const [number, place] of places(seeded()).entries()) {
      await visit(page, place);
      expect.soft(errors.splice(0), place.address).toEqual([]);
      if (number === 0) expect.soft(await broken(page), place.address).toEqual([]);
    }
  });
}
