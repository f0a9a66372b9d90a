import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { tab, videoTime } from "../run-page";
import { runPage } from "../seeded";
import { trained } from "../trained";

const moment = (page: Page) => page.getByRole("region", { name: "Moment" });

/** A short run with a filmstrip. */
/** The same run for all tests that do not change it. */
let filmed: Promise<string> | undefined;

test("predictions for a clip link to its frames, and the clip keeps playing in the dock", async ({
  page,
  request,
}) => {
  filmed ??= trained(request);
  await page.goto(`${runPage(await filmed)}&view=moment&moment=0`);
  const video = moment(page).locator("video");
  await expect(video).toBeVisible(PATIENCE);
  const thoughts = moment(page).getByRole("region", { name: "Action probabilities" });
  await expect(thoughts).toContainText("push left");
  const reward = moment(page).getByRole("slider", { name: "Reward over the episode" });
  await reward.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(reward).toHaveAttribute("aria-valuetext", /^step 2:/);
  await expect.poll(async () => Math.floor((await videoTime(video)) * 50)).toBe(2);
  await expect(moment(page).getByRole("button", { name: "Play", exact: true })).toBeVisible();

  await moment(page).getByLabel("Speed").selectOption("0.25");
  await moment(page).getByRole("button", { name: "Loop" }).click();
  await moment(page).getByRole("button", { name: "Play", exact: true }).click();
  await tab(page, "Charts").click();
  const docked = page.getByRole("group", { name: "Moment, docked" });
  const small = docked.locator("video");
  await expect(small).toBeInViewport();
  const played = await videoTime(small);
  await expect.poll(() => videoTime(small)).not.toBe(played);
  await docked.getByRole("button", { name: "Back to full size" }).click();
  await expect(docked).toHaveCount(0);
  await expect(video).toBeInViewport();
});
