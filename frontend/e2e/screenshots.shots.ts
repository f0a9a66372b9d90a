import path from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { shots } from "./shots";

const FOLDER = path.join(import.meta.dirname, "..", "screenshots");
const wanted = process.env.SHOTS ? new RegExp(process.env.SHOTS) : /./;

test("every page and state", async ({ browser }, { project }) => {
  const { viewport, colorScheme, baseURL } = project.use;
  const context = await browser.newContext({
    viewport,
    colorScheme,
    baseURL,
    reducedMotion: "reduce",
  });
  for (const shot of shots().filter(({ name }) => wanted.test(name))) {
    const page = await context.newPage();
    if (viewport && shot.height)
      await page.setViewportSize({ width: viewport.width, height: shot.height });
    await shot.before?.(page);
    await page.goto(shot.path);
    await settled(page);
    await shot.then?.(page);
    if (shot.then) await page.waitForTimeout(400);
    const file = path.join(FOLDER, shot.name, `${project.name}.png`);
    const fullPage = shot.height === undefined;
    await page.screenshot({ path: file, fullPage, animations: "disabled" });
    await page.context().setOffline(false);
    await page.close();
  }
  await context.close();
});

/** Enough time for responses, first frames of videos and one redraw of the charts. Some states never finish loading. */
async function settled(page: Page) {
  await expect(page.locator("main > *").first()).toBeAttached();
  await page.waitForLoadState("load");
  const loading = page.locator("main .animate-shimmer");
  await expect(loading)
    .toHaveCount(0, { timeout: 10_000 })
    .catch(() => undefined);
  await page.waitForTimeout(700);
}
