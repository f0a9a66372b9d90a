import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { live, points, sideways, status, videoTime, boxOf } from "../run-page";
import { frames, stage, watchedRun } from "../watched";

test.describe.configure({ mode: "serial" });
test.use({ contextOptions: { reducedMotion: "no-preference" } }); // otherwise it plays on request only

/** The timeout of one of several tries. */
const SOON = { timeout: 10_000 };

/** Whether nothing covers an element. */
const isBare = (element: Element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [left + 1, (left + right) / 2, right - 1].every(
    (x) => document.elementFromPoint(x, (top + bottom) / 2) === element,
  );
};

const run = watchedRun();

test("on a phone the agent plays below its title, docks on scrolling, and is controlled by touch @touch", async ({
  page,
}) => {
  await page.goto(`/runs/view?id=${run()}`);
  await expect(status(page, "running")).toBeVisible(PATIENCE);
  await stage(page).scrollIntoViewIfNeeded(PATIENCE);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
  expect(await sideways(page)).toBe(0);
  const { width } = await boxOf(stage(page));
  expect(width).toBeGreaterThan(320);
  await expect(live(page).getByRole("region", { name: "Action probabilities" })).toBeVisible();

  await live(page).getByText("Value slice", { exact: true }).click();
  await live(page).getByText("Change the observation", { exact: true }).click(PATIENCE);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const corner = page.getByRole("button", { name: "Close the small window" });
  await expect(corner).toBeVisible(PATIENCE);
  const before = await frames(page);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(before + 3);
  await expect(page.getByRole("group", { name: "Live, docked" })).toBeVisible(PATIENCE);
  // Wherever the page was scrolled to show it, a slider lies bare from end to end, by the keyboard too.
  for (const held of await live(page)
    .getByRole("list", { name: "Held at" })
    .getByRole("slider")
    .all())
    for (const bring of ["start", "end", "focus"] as const) {
      await page.evaluate(() => scrollTo(0, 0));
      await held.evaluate((slider, how) => {
        if (how === "focus") slider.focus();
        else slider.scrollIntoView({ block: how });
      }, bring);
      await expect.poll(() => held.evaluate(isBare)).toBe(true);
    }
  await corner.click();
  await expect(corner).toHaveCount(0);

  await stage(page).scrollIntoViewIfNeeded(PATIENCE);
  await live(page).getByRole("button", { name: "Take the controls" }).click();
  const right = page.getByRole("group", { name: "Keys" }).getByRole("button", { name: /right/ });
  await right.tap(PATIENCE);
  await expect(live(page).getByText(/\(person\)/)).toBeVisible(PATIENCE);
});

test("from the live window a click on the curve leads to a clip of that policy, and back", async ({
  page,
}) => {
  await page.goto(`/runs/view?id=${run()}`);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
  await expect.poll(() => points(page, "Episode return"), PATIENCE).toBeGreaterThan(5);
  const plot = page.getByRole("region", { name: "Episode return", exact: true }).locator(".u-over");
  const { width, height } = await boxOf(plot);
  await plot.click({ position: { x: width * 0.3, y: height * 0.4 } });

  const moment = page.getByRole("region", { name: "Moment", exact: true });
  const title = moment.getByRole("heading", { level: 2 });
  await expect(title).toHaveText(/^Policy of step [\d,]+/, PATIENCE);
  const video = moment.locator("video");
  // A policy that is kept meanwhile may be nearer to the moment, and is then the one that plays.
  await expect(async () => {
    const step = /step ([\d,]+)/.exec(await title.innerText())![1]!.replaceAll(",", "");
    expect(await video.getAttribute("src")).toMatch(new RegExp(`clip_${step}_\\d+_greedy\\.mp4$`));
  }).toPass(PATIENCE);
  await expect.poll(() => videoTime(video), PATIENCE).toBeGreaterThan(0);
  await expect(status(page, "running")).toBeVisible();

  await page.getByRole("radio", { name: "Live" }).click({ force: true });
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
});

test("the user pauses, steps back and forward, and resumes", async ({ page }) => {
  await page.goto(`/runs/view?id=${run()}`);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(10);
  await live(page).getByRole("button", { name: "Pause", exact: true }).click();
  const step = async () =>
    Number((await live(page).getByRole("definition").nth(1).innerText()).replace(/\D/g, ""));
  await live(page).getByRole("button", { name: "One step", exact: true }).click();
  await live(page).getByRole("button", { name: "One step", exact: true }).click();
  await expect(async () => {
    const now = await step();
    await page.waitForTimeout(500);
    expect(await step()).toBe(now);
  }).toPass();
  const observation = live(page).getByRole("region", { name: "Observation" });
  // The newest policy chooses anew: one that comes between back and forward may choose otherwise.
  await expect(async () => {
    const [here, seen] = [await step(), await observation.innerText()];
    await live(page).getByRole("button", { name: "One step back" }).click();
    await expect.poll(step, SOON).toBe(here - 1);
    await live(page).getByRole("button", { name: "One step", exact: true }).click();
    await expect.poll(step, SOON).toBe(here);
    await expect.poll(() => observation.innerText(), SOON).toBe(seen);
  }).toPass(PATIENCE);
  const before = await frames(page);
  await live(page).getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(before + 3);
});

test("a slice of the value function is redrawn with the weights that train", async ({ page }) => {
  await page.goto(`/runs/view?id=${run()}`);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
  await live(page).getByText("Value slice", { exact: true }).click();
  const slice = live(page).getByRole("application", { name: /over .+ and .+, from/ });
  await expect(slice).toBeVisible(PATIENCE);
  const drawnFrom = async () => {
    const words = await live(page)
      .getByText(/^Policy of step [\d,]+;/)
      .innerText();
    return Number(/step ([\d,]+)/.exec(words)?.[1]?.replaceAll(",", ""));
  };
  const step = await drawnFrom();
  const said = await slice.getAttribute("aria-label");
  await expect.poll(drawnFrom, PATIENCE).toBeGreaterThan(step);
  await expect.poll(() => slice.getAttribute("aria-label"), PATIENCE).not.toBe(said);

  await live(page).getByText("Change the observation", { exact: true }).click();
  const held = live(page).getByRole("list", { name: "Held at" }).getByRole("slider").first();
  await held.press("End");
  const value = await held.getAttribute("aria-valuetext");
  await expect(
    live(page).getByText(/the components that you did not change keep their values/),
  ).toBeVisible(PATIENCE);
  const played = await frames(page);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(played + 10);
  expect(await held.getAttribute("aria-valuetext")).toBe(value);
  await live(page).getByRole("button", { name: "Reset to the observation" }).click();
  await expect(held).not.toHaveAttribute("aria-valuetext", value!, PATIENCE);
});

test("a hidden page releases its session and gets another when it is visible", async ({ page }) => {
  const sessions = async () =>
    ((await (await page.request.get("/api/sessions")).json()) as unknown[]).length;
  await expect.poll(sessions, PATIENCE).toBe(0);
  await page.goto(`/runs/view?id=${run()}`);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
  expect(await sessions()).toBe(1);
  const hide = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { configurable: true, value });
      Object.defineProperty(document, "visibilityState", {
        configurable: true,
        value: value ? "hidden" : "visible",
      });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await hide(true);
  await expect.poll(sessions, PATIENCE).toBe(0);
  const still = await frames(page);
  await hide(false);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(still + 3);
});
