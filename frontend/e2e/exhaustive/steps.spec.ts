import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { videoTime } from "../run-page";
import { runPage, seeded } from "../seeded";

const card = (page: Page) => page.getByRole("region", { name: "Evaluation" });
const table = (page: Page) => card(page).getByRole("table", { name: "Steps" });
const row = (page: Page, place: number) => table(page).locator(`[aria-rowindex="${place + 1}"]`);
const found = (page: Page) => card(page).getByText(/^[\d,]+ records?$/);
const choice = (page: Page, label: string) => card(page).getByLabel(label, { exact: true });
const FPS = 50;

/** The steps of the newest evaluation, which has a video. */
async function openSteps(page: Page) {
  await page.goto(runPage(seeded().recorded, "episodes"));
  await card(page).getByText("Steps", { exact: true }).click();
  await expect(table(page)).toBeVisible();
}

/** The 27,000 steps of the previous evaluation. */
async function openManySteps(page: Page) {
  await page.goto(runPage(seeded().recorded, "episodes"));
  await card(page).getByText("All evaluations").click();
  const all = card(page).getByRole("list", { name: "All evaluations" });
  await all.getByRole("button", { name: /no video/ }).click();
  await card(page).getByText("Steps", { exact: true }).click();
  await expect(found(page)).toHaveText("27,000 records");
}

/** Scrolls in every animation frame. Returns the number of frames with a gap, and of all frames. */
const scrollOn = (steps: Locator, frames: number, pixels: number) =>
  steps.evaluate(
    async (element, { frames, pixels }) => {
      const gaps: number[] = [];
      let most = 0;
      for (let frame = 0; frame < frames; frame += 1) {
        element.scrollTop += pixels;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const lines = [...element.querySelectorAll<HTMLElement>("[aria-rowindex]")];
        const first = Math.min(...lines.map(({ offsetTop }) => offsetTop));
        const last = Math.max(...lines.map((line) => line.offsetTop + line.offsetHeight));
        most = Math.max(most, lines.length);
        const head = element.firstElementChild?.clientHeight ?? 0;
        if (first > element.scrollTop || last < element.scrollTop + element.clientHeight - head)
          gaps.push(frame);
      }
      return { gaps: gaps.length, most };
    },
    { frames, pixels },
  );

test("27,000 steps are one list that scrolls without gaps and renders only visible rows", async ({
  page,
}) => {
  await openManySteps(page);
  await expect(table(page)).toHaveAttribute("aria-rowcount", "27001");
  await expect(row(page, 1)).toContainText(/^10/); // episode 1, step 0
  const { gaps, most } = await scrollOn(table(page), 120, 90);
  expect(most).toBeLessThan(60);
  expect(gaps).toBeLessThanOrEqual(6);

  for (const place of [12_345, 24_999, 1]) {
    await table(page).evaluate((element, place) => element.scrollTo(0, place * 28), place - 1);
    const cells = row(page, place).getByRole("cell");
    const [episode, index] = [Math.floor((place - 1) / 500), (place - 1) % 500];
    await expect(cells.nth(0)).toHaveText(String(episode + 1));
    await expect(cells.nth(1)).toHaveText(String(index));
  }
  await table(page).focus();
  await page.keyboard.press("End");
  await expect(row(page, 27_000).getByRole("cell").last()).toHaveText("terminated");
});

test("steps are filtered, sorted and found again in the video @phone", async ({ page }) => {
  await openSteps(page);
  await expect(found(page)).toHaveText("243 records");
  await choice(page, "Action").selectOption("push right");
  await expect(found(page)).not.toHaveText("243 records");
  await expect(row(page, 1)).toContainText("push right");
  await choice(page, "End").selectOption("Terminated");
  await choice(page, "Action").selectOption("Any");
  await expect(found(page)).toHaveText("2 records");
  await expect(row(page, 1).getByRole("cell").last()).toHaveText("terminated");
  await choice(page, "End").selectOption("Any step");
  await choice(page, "Reward").fill(">5");
  await expect(card(page).getByText("No such step")).toBeVisible();
  await choice(page, "Reward").fill("");
  await choice(page, "Text").fill("truncated");
  await expect(found(page)).toHaveText("1 record");
  await choice(page, "Text").fill("");

  await choice(page, "Episode").selectOption({ index: 2 });
  await expect(found(page)).toHaveText("81 records");
  const value = table(page).getByRole("columnheader", { name: "V(s)" });
  await value.getByRole("button").click();
  await expect(value).toHaveAttribute("aria-sort", "ascending");
  const amount = async (place: number) =>
    Number(await row(page, place).getByRole("cell").nth(5).innerText());
  await expect.poll(async () => (await amount(1)) <= (await amount(2))).toBe(true);
  await value.getByRole("button").click();
  await expect(value).toHaveAttribute("aria-sort", "descending");
  await expect.poll(async () => (await amount(1)) > 40).toBe(true);

  const index = Number(await row(page, 3).getByRole("cell").nth(1).innerText());
  await row(page, 3).click();
  const first = 61; // of the second episode: sixty actions and a reset come before it
  const video = card(page).locator("video");
  await expect.poll(async () => Math.floor((await videoTime(video)) * FPS)).toBe(first + index);
});

test("all records are exported as a file of each kind", async ({ page }) => {
  await openSteps(page);
  for (const [label, name] of [
    [/^CSV/, /\.csv$/],
    [/^NDJSON/, /\.ndjson$/],
    [/^Parquet/, /\.parquet$/],
    [/^Minari/, /\.minari\.zip$/],
  ] as const) {
    await card(page).getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: label }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(name);
    const content = await readFile(await file.path());
    expect(content.length).toBeGreaterThan(1_000);
    if (file.suggestedFilename().endsWith(".ndjson"))
      expect(content.toString().trim().split("\n")).toHaveLength(243);
  }
});
