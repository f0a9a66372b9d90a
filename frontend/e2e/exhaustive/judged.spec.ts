import { expect, type Page, test } from "@playwright/test";
import { videoTime } from "../run-page";
import { runPage, seeded } from "../seeded";

const card = (page: Page) => page.getByRole("region", { name: "Evaluation" });
const picks = (page: Page) => card(page).getByRole("region", { name: "Which episodes to watch" });
const episode = (page: Page, n: number) =>
  card(page).getByRole("button", { name: new RegExp(`^Play episode ${n}:`) });
const frame = async (page: Page) =>
  Math.floor((await videoTime(card(page).locator("video"))) * FPS);
const FPS = 50;
/** First frames of the episodes, which have 60, 80 and 100 steps. */
const FIRST_FRAMES = [0, 61, 142];

test("a click plays the worst, median or best episode or a bar of returns @phone", async ({
  page,
}) => {
  await page.goto(runPage(seeded().recorded, "episodes"));
  for (const [name, n] of [
    [/^Best 100/, 3],
    [/^Worst 60/, 1],
    [/^Median 80/, 2],
  ] as const) {
    await picks(page).getByRole("button", { name }).click();
    await expect(episode(page, n)).toHaveAttribute("aria-current", "true");
    await expect.poll(() => frame(page)).toBeGreaterThan(FIRST_FRAMES[n - 1]!);
  }
  const bars = picks(page).getByRole("list", { name: "Returns of the episodes" });
  await bars
    .getByRole("button", { name: /: 1 episode$/ })
    .last()
    .click();
  await expect(episode(page, 3)).toHaveAttribute("aria-current", "true");
});

test("key moments are chapters of the player with a mark each that can be clicked", async ({
  page,
}) => {
  await page.goto(runPage(seeded().recorded, "episodes"));
  const moments = card(page).getByRole("list", { name: "Key moments of episode 1" });
  await expect(moments).toBeVisible();
  await moments.getByRole("button", { name: /^Last ten steps/ }).click();
  await expect.poll(() => frame(page)).toBe(50);
  const surprise = moments.getByRole("button", { name: /^Largest surprise/ });
  const step = Number(/step (\d+)/.exec(await surprise.innerText())![1]);
  await surprise.click();
  await expect.poll(() => frame(page)).toBe(step);
});

test("endings are named by what they have in common, with an example to watch", async ({
  page,
}) => {
  await page.goto(runPage(seeded().recorded, "episodes"));
  await card(page).getByText("How episodes end").click();
  const ends = card(page).getByRole("list", { name: "How episodes end" });
  const fallen = ends
    .getByRole("listitem")
    .filter({ hasText: /pole angle/ })
    .first();
  await expect(fallen).toContainText(/\d\s?%/);
  await fallen.getByRole("button", { name: /^Watch an example/ }).click();
  await expect.poll(() => frame(page)).toBeGreaterThan(0);

  await card(page).getByText("Find episodes").click();
  await card(page).getByRole("textbox", { name: "Episodes with" }).fill("return < 90 and video");
  await card(page).getByRole("button", { name: "Find", exact: true }).click();
  await expect(card(page).getByText("2 of 57 episodes")).toBeVisible();
  const episodes = card(page).getByRole("list", { name: "Episodes found" });
  await episodes.getByRole("button", { name: /return 80/ }).click();
  await expect.poll(() => frame(page)).toBeGreaterThan(FIRST_FRAMES[1]!);
});
