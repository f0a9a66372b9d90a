import { createHash } from "node:crypto";
import { expect, type Locator, type Page } from "@playwright/test";
import { PATIENCE } from "./patience";

/** Elements of the app by role and name. */
export function chart(page: Page, title: string) {
  return page.getByRole("region", { name: title, exact: true }).getByRole("img", { name: title });
}

/** The keyboard cursor of a chart. Its bounds equal those of the picture. */
export function chartCursor(page: Page, title: string) {
  return page.getByRole("slider", { name: new RegExp(`^${title}: Arrow keys`) });
}

export async function points(page: Page, title: string): Promise<number> {
  return Number(await chart(page, title).getAttribute("data-points"));
}

/** A digest of the visible pixels. */
export async function picture(page: Page, title: string): Promise<string> {
  const pixels = await chart(page, title)
    .locator("canvas")
    .first()
    .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  return createHash("sha256").update(pixels).digest("hex");
}

/** A tab of a run page. */
export function tab(page: Page, name: string) {
  return page
    .getByRole("tablist", { name: "Parts of the run" })
    .getByRole("tab", { name: new RegExp(`^${name}`) });
}

/** Opens the tab with the player and the episodes. */
export async function showEvaluation(page: Page) {
  await tab(page, "Episodes").click();
  await expect(tab(page, "Episodes")).toHaveAttribute("aria-selected", "true");
}

/** The area in which the agent plays. */
export function live(page: Page) {
  return page.getByRole("region", { name: "Live", exact: true });
}

export function status(page: Page, status: string) {
  return page.getByRole("status", { name: `Status: ${status}` });
}

export const videoTime = (video: Locator) =>
  video.evaluate((element: HTMLVideoElement) => element.currentTime);

/** Presses Tab until `target` has the focus. */
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

/** Position and size of an element once it is drawn. A chart that is being redrawn has none. */
export async function boxOf(element: Locator) {
  let box = await element.boundingBox();
  await expect.poll(async () => (box = await element.boundingBox()), PATIENCE).not.toBeNull();
  return box!;
}
