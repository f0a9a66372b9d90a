import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { openMore } from "../new-run";
import { chart, picture, points, showEvaluation, status, tab, tabTo, videoTime } from "../run-page";

const TITLE = "Episode return";
const evaluation = (page: Page) => page.getByRole("region", { name: "Evaluation" });
const episode = (page: Page, n: number) =>
  evaluation(page).getByRole("button", { name: new RegExp(`^Play episode ${n}:`) });

async function watch(page: Page) {
  await expect(page).toHaveURL(/\/runs\/view\?id=[a-z0-9-]+$/);
  await expect(status(page, "running")).toBeVisible(PATIENCE);
  await expect.poll(() => points(page, TITLE), PATIENCE).toBeGreaterThan(5);
  const drawn = await picture(page, TITLE);
  const held = await points(page, TITLE);
  await expect.poll(() => points(page, TITLE)).toBeGreaterThan(held);
  await expect.poll(() => picture(page, TITLE)).not.toBe(drawn);
  await expect(chart(page, TITLE)).toHaveAccessibleName(/^Episode return at step .*Mean of 100 \d/);
}

async function isRecorded(page: Page, episodes: number) {
  const all = evaluation(page).getByRole("button", { name: /^Play episode/ });
  await expect(all).toHaveCount(episodes, PATIENCE);
}

test("the complete workflow, by keyboard", async ({ page }, { retry }) => {
  const name = `By keyboard ${retry + 1}`;
  const { keyboard } = page;
  await page.goto("/");
  await expect(page.locator("[role=row][data-index]").first()).toBeVisible();
  await keyboard.press("n");
  const form = page.getByRole("form", { name: "New run" });
  await expect(form).toBeVisible();
  await tabTo(page, form.locator("summary", { hasText: "More" }));
  await keyboard.press("Enter");
  await tabTo(page, form.getByLabel("Timesteps"));
  await keyboard.press("Control+a");
  await keyboard.type("200000");
  await tabTo(page, form.getByLabel("Seed", { exact: true }));
  await keyboard.type("7");
  await tabTo(page, form.getByLabel("Name"));
  await keyboard.type(name);
  await keyboard.press("Enter");
  await watch(page);

  await tabTo(page, page.getByRole("button", { name: "Stop", exact: true }));
  await keyboard.press("Enter");
  await expect(status(page, "stopped")).toBeVisible({ timeout: 60_000 });

  await tabTo(page, tab(page, "Overview"), 200);
  await keyboard.press("ArrowRight");
  await expect(tab(page, "Charts")).toBeFocused();
  await keyboard.press("ArrowRight");
  await expect(tab(page, "Episodes")).toBeFocused();
  await keyboard.press("Enter");
  await tabTo(page, evaluation(page).getByLabel("Episodes to evaluate"), 200);
  await keyboard.press("ArrowUp");
  await tabTo(page, evaluation(page).getByRole("button", { name: "Run evaluation" }));
  await keyboard.press("Enter");
  await isRecorded(page, 3);

  const video = evaluation(page).locator("video");
  await tabTo(page, evaluation(page).getByRole("button", { name: "Play", exact: true }), 200);
  await keyboard.press("Enter");
  await expect.poll(() => videoTime(video)).toBeGreaterThan(0.1);
  // Where it had learned for a moment only, the pole falls after ten steps, and the third plays a fifth of a second later.
  await expect(async () => {
    await keyboard.press("2");
    expect(await episode(page, 2).getAttribute("aria-current")).toBe("true");
  }).toPass();
  await keyboard.press("k");

  await keyboard.press("g");
  await keyboard.press("h");
  await expect(page).toHaveURL("/");
  const line = page.getByRole("row").filter({ hasText: name });
  // Runs that train stand above it.
  await tabTo(page, page.locator("[role=row][data-index='0']"));
  await expect(async () => {
    if (!(await line.evaluate((row) => row === document.activeElement))) {
      await keyboard.press("ArrowDown");
    }
    await expect(line).toBeFocused({ timeout: 500 });
  }).toPass();
  await keyboard.press("Delete");
  await expect(line).toHaveCount(0);
  await keyboard.press("F8");
  await tabTo(page, page.getByRole("button", { name: "Undo" }), 10);
  await keyboard.press("Enter");
  await expect(line).toContainText("stopped");
});

test("the complete workflow, on a phone @touch", async ({ page }, { retry }) => {
  const name = `By phone ${retry + 1}`;
  await page.goto("/");
  await page
    .getByRole("link", { name: "New run" })
    .or(page.getByRole("button", { name: "New run" }))
    .first()
    .tap();
  const form = await openMore(page);
  await form.getByLabel("Timesteps").fill("200000");
  await form.getByLabel("Seed", { exact: true }).fill("8");
  await form.getByLabel("Name").fill(name);
  await form.getByRole("button", { name: "Start training" }).tap();
  await watch(page);
  await page.getByRole("button", { name: "Stop", exact: true }).tap();
  await expect(status(page, "stopped")).toBeVisible({ timeout: 60_000 });

  await showEvaluation(page);
  await evaluation(page).getByLabel("Episodes to evaluate").selectOption("1");
  await evaluation(page).getByRole("button", { name: "Run evaluation" }).tap();
  await isRecorded(page, 1);
  await evaluation(page).getByRole("button", { name: "Play", exact: true }).tap();
  await expect.poll(() => videoTime(evaluation(page).locator("video"))).toBeGreaterThan(0.1);

  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).tap();
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("stopped");
});
