import { createHash } from "node:crypto";
import { expect, type Locator, type Page } from "@playwright/test";

/** The app as a user sees it, by role and name. */
export function chart(page: Page, title: string) {
  return page.getByRole("region", { name: title, exact: true }).getByRole("img", { name: title });
}

/** The part of a chart that the keyboard reads. Its bounds are those of the picture. */
export function chartCursor(page: Page, title: string) {
  return page.getByRole("slider", { name: new RegExp(`^${title}: Arrow keys`) });
}

export async function points(page: Page, title: string): Promise<number> {
  return Number(await chart(page, title).getAttribute("data-points"));
}

/** A digest of the pixels the user sees. */
export async function picture(page: Page, title: string): Promise<string> {
  const pixels = await chart(page, title)
    .locator("canvas")
    .first()
    .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  return createHash("sha256").update(pixels).digest("hex");
}

/** Puts the evaluation where the live window is. */
export async function showEvaluation(page: Page) {
  const evaluation = page.getByRole("radio", { name: "Evaluation" });
  // Until the evaluations have come, the page shows the view that most ended runs have, and may take another then.
  await expect(async () => {
    await evaluation.click({ force: true });
    await page.waitForTimeout(500);
    await expect(evaluation).toBeChecked({ timeout: 1_000 });
  }).toPass();
}

/** Where the agent plays. */
export function live(page: Page) {
  return page.getByRole("region", { name: "Live", exact: true });
}

export function status(page: Page, status: string) {
  return page.getByRole("status", { name: `Status: ${status}` });
}

export const videoTime = (video: Locator) =>
  video.evaluate((element: HTMLVideoElement) => element.currentTime);

/** Goes on with Tab until `target` has the focus, as somebody without a mouse does. */
export async function tabTo(page: Page, target: Locator, most = 80) {
  for (let presses = 0; presses < most; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  await expect(target).toBeFocused({ timeout: 1 });
}

/** How far a page can be scrolled sideways, in pixels. */
export const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
