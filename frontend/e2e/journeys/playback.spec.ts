import { expect, type Page, test } from "@playwright/test";
import { videoTime } from "../run-page";
import { runPage, seeded } from "../seeded";

const card = (page: Page) => page.getByRole("region", { name: "Evaluation" });
const episode = (page: Page, n: number) =>
  card(page).getByRole("button", { name: new RegExp(`^Play episode ${n}:`) });
const FPS = 50;

test("the player plays, steps, seeks and loops by click and by key @phone", async ({ page }) => {
  await page.goto(runPage(seeded().good, "episodes"));
  const video = card(page).locator("video");
  const player = card(page).getByRole("group", { name: /^Player of/ });
  await card(page).getByLabel("Speed").selectOption("0.25"); // so that it has not ended before it is paused
  await card(page).getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(() => videoTime(video)).toBeGreaterThan(0.2);
  await card(page).getByRole("button", { name: "Pause" }).click();

  await episode(page, 2).click();
  await expect(episode(page, 2)).toHaveAttribute("aria-current", "true");
  await player.focus();
  await page.keyboard.press("k");
  // The clock may run ahead of the frame on the screen, from which steps are taken, until the first step.
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(1_000);
  const shown = Math.floor((await videoTime(video)) * FPS);
  await page.keyboard.press("ArrowRight");
  await expect.poll(async () => Math.floor((await videoTime(video)) * FPS)).toBe(shown + 1);
  await page.keyboard.press("3");
  await expect(episode(page, 3)).toHaveAttribute("aria-current", "true");
  await page.keyboard.press("p");
  await expect(episode(page, 2)).toHaveAttribute("aria-current", "true");
  await expect(card(page).getByRole("slider", { name: "Position" })).toHaveAttribute(
    "aria-valuetext",
    /episode 2 of 3$/,
  );
  await card(page).getByLabel("Speed").selectOption("2");
  expect(await video.evaluate((element: HTMLVideoElement) => element.playbackRate)).toBe(2);

  await card(page).getByRole("button", { name: "Keyboard shortcuts" }).click();
  await expect(card(page).getByText("One frame back or forward")).toBeVisible();
  await card(page).getByRole("button", { name: "Loop" }).click();
  await player.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press(" ");
  await expect(episode(page, 1)).toHaveAttribute("aria-current", "true");
  await page.keyboard.press(" ");
});
