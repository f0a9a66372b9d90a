import { expect, test } from "@playwright/test";
import { broken } from "../accessible";
import { PARTS, visit } from "../pages";
import { seeded } from "../seeded";

/** The rules whose outcome depends on the theme. All others are checked once. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

for (const [part, places] of Object.entries(PARTS)) {
  test(`no ${part} breaks an accessibility rule in either theme, or has an error`, async ({
    page,
  }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    for (const place of places(seeded())) {
      await page.emulateMedia({ colorScheme: "light" });
      await visit(page, place);
      expect.soft(await broken(page), `${place.address} in the light theme`).toEqual([]);
      await page.evaluate(withoutTransitions);
      await page.emulateMedia({ colorScheme: "dark" });
      await expect.poll(() => page.evaluate(theme)).toBe("dark");
      await page.evaluate(stillness);
      expect.soft(await broken(page, OF_COLOURS), `${place.address} in the dark theme`).toEqual([]);
      expect.soft(errors.splice(0), place.address).toEqual([]);
    }
  });
}

const theme = () => document.documentElement.dataset.theme;

/** Switches transitions off, because the contrast of a colour that is still changing means nothing. */
function withoutTransitions() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { transition: none !important }");
  document.adoptedStyleSheets = [sheet];
}

/** Resolves once no animation is running. Endless animations are ignored. */
async function stillness(): Promise<void> {
  const moving = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(moving.map(({ finished }) => finished));
}
