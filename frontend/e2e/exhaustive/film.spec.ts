import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { boxOf, chart as picture, videoTime } from "../run-page";
import { comparePage, runPage, seeded } from "../seeded";
import { trained } from "../trained";

const moment = (page: Page) => page.getByRole("region", { name: "Moment" });

/** A short run with a filmstrip. */
/** The same run for all tests that do not change it. */
let filmed: Promise<string> | undefined;

test("the time marker is dragged along the curve and moved by keys on every axis", async ({
  page,
  request,
}) => {
  filmed ??= trained(request);
  await page.goto(`${runPage(await filmed)}&view=moment&moment=0`);
  const title = moment(page).getByRole("heading", { level: 2 });
  const chart = page.getByRole("region", { name: "Episode return", exact: true });
  const mark = chart.getByRole("slider", { name: "Moment of training" });
  const plot = chart.locator(".u-over");
  const dragTo = async (share: number) => {
    await mark.hover(); // waits until it has stopped moving
    const from = await boxOf(mark);
    const { x, width } = await boxOf(plot);
    await page.mouse.down();
    await page.mouse.move(x + width * share, from.y + from.height / 2, { steps: 5 });
    await page.mouse.up();
  };
  await expect(title).toHaveText(/^Policy of step 0/, { timeout: 60_000 });
  await dragTo(0.5);
  await expect(title).toHaveText(/^Policy of step [23],\d{3}/);
  const zoomed = page.getByRole("button", { name: "Reset zoom" });
  await expect(zoomed).toBeDisabled();
  const before = await mark.getAttribute("aria-valuenow");
  await mark.focus();
  await page.keyboard.press("ArrowRight");
  expect(Number(await mark.getAttribute("aria-valuenow"))).toBeGreaterThan(Number(before));

  for (const [axis, drawn] of [
    ["Episodes", /^Episode return at episode /],
    ["Time", /^Episode return after /],
  ] as const) {
    await page.getByRole("radio", { name: axis }).click({ force: true });
    await expect(picture(page, "Episode return")).toHaveAccessibleName(drawn);
    await dragTo(1);
    await expect(title).toHaveText(/^Policy of step 6,/);
    await dragTo(0);
    await expect(title).toHaveText(/^Policy of step 0/);
  }

  const { x, y, width, height } = await boxOf(plot);
  await page.mouse.move(x + width * 0.4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.8, y + height / 2, { steps: 5 });
  await page.mouse.up();
  await expect(zoomed).toBeEnabled();
  await expect(title).toHaveText(/^Policy of step 0/);
});

test("compared runs play their policies of the same step side by side in sync", async ({
  page,
  request,
}) => {
  const one = await trained(request, { name: "First" });
  const two = await trained(request, { name: "Second", seed: 8 });
  await page.goto(comparePage(one, two, seeded().good));
  await page.getByText("Same step", { exact: true }).click();
  const section = page.getByRole("region", { name: "At the same step" });
  await section.getByLabel("Speed").selectOption("0.25"); // so that none has ended before they are paused
  await section.getByRole("slider", { name: "Step", exact: true }).fill("3000");
  const videos = section.locator("video");
  await expect(videos).toHaveCount(2, PATIENCE);
  for (const video of await videos.all()) {
    await expect(video).toHaveAttribute("src", /clip_2\d{3}_1000000_greedy\.mp4$/, PATIENCE);
  }
  await expect(section.getByText(/^This run keeps no film|^No policy of this run/)).toBeVisible();
  await expect.poll(() => videoTime(videos.first())).toBeGreaterThan(0.2);
  await section.getByRole("button", { name: "Pause" }).click();
  const apart = async () => {
    const clips = await videos.evaluateAll((elements) =>
      (elements as HTMLVideoElement[]).map(({ currentTime, duration }) => ({
        currentTime,
        duration,
      })),
    );
    const now = Math.max(...clips.map(({ currentTime }) => currentTime));
    // One that is over waits at its end.
    return Math.max(
      ...clips.map((clip) => Math.abs(clip.currentTime - Math.min(now, clip.duration))),
    );
  };
  await expect.poll(apart).toBeLessThan(0.25);

  await page.getByText("Same return", { exact: true }).click();
  const same = page.getByRole("region", { name: "At the same return" });
  const returns = same.getByRole("slider", { name: "Mean return" });
  await returns.press("Home");
  await expect(same.getByText(/^Reached at step/)).toHaveCount(2, PATIENCE);
  await returns.press("End");
  await expect(same.getByText(/^It never had this return/).first()).toBeVisible();
});
