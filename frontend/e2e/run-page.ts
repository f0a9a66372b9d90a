import { createHash } from "node:crypto";
import { expect, type Page } from "@playwright/test";

/** The app as a user sees it, by role and name. */
export async function startRun(page: Page, timesteps: number, origin = ""): Promise<void> {
  await page.goto(`${origin}/?new`);
  const form = page.getByRole("form", { name: "New run" });
  await form.getByLabel("Timesteps").fill(String(timesteps));
  await form.getByLabel("Seed").fill("7");
  await form.getByRole("button", { name: "Start training" }).click();
  await expect(page).toHaveURL(/\/runs\/view\?id=[a-z0-9-]+$/);
}

export function chart(page: Page, title: string) {
  return page.getByRole("region", { name: title }).getByRole("img");
}

export async function points(page: Page, title: string): Promise<number> {
  return Number(await chart(page, title).getAttribute("data-points"));
}

/** A digest of the pixels the user sees. */
export async function picture(page: Page, title: string): Promise<string> {
  const pixels = await chart(page, title)
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  return createHash("sha256").update(pixels).digest("hex");
}

export function status(page: Page, status: string) {
  return page.getByRole("status", { name: `Status: ${status}` });
}
