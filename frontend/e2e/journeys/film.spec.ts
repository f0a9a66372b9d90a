import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { tab, videoTime, boxOf } from "../run-page";
import { runPage, seeded } from "../seeded";

const moment = (page: Page) => page.getByRole("region", { name: "Moment" });
const strip = (page: Page) => page.getByRole("slider", { name: /^Filmstrip/ });

test("a click on the curve plays the policy of that moment", async ({ page, request }) => {
  const { hare } = seeded();
  await page.goto(runPage(hare));
  await expect(strip(page)).toBeVisible({ timeout: 60_000 });
  await expect(strip(page).locator("img").first()).toBeVisible(PATIENCE);
  await expect(moment(page)).toHaveCount(0);

  const plot = page.getByRole("region", { name: "Episode return", exact: true }).locator(".u-over");
  const { width, height } = await boxOf(plot);
  await plot.click({ position: { x: width * 0.6, y: height * 0.4 } });
  const title = moment(page).getByRole("heading", { level: 2 });
  await expect(title).toHaveText(/^Policy of step 3,\d{3}/);
  await expect(page.getByRole("radio", { name: "Moment" })).toBeChecked();
  const video = moment(page).locator("video");
  await expect(video).toBeVisible(PATIENCE);
  await expect.poll(() => videoTime(video), { timeout: 60_000 }).toBeGreaterThan(0);
  const step = Number((await title.innerText()).replaceAll(/\D/g, ""));
  await expect(video).toHaveAttribute("src", new RegExp(`clip_${step}_1000000_greedy\\.mp4$`));
  await expect(page.locator("[data-moment]").first()).toBeVisible();
  await tab(page, "Charts").click();
  await expect.poll(() => page.locator("[data-moment]").count()).toBeGreaterThan(1);
  await page.goBack();

  await strip(page).focus();
  await page.keyboard.press("Home");
  await expect(title).toHaveText(/^Policy of step 0/);
  await expect(strip(page)).toHaveAttribute(
    "aria-valuetext",
    /^Policy after 0 steps(, return [\d.]+)?$/,
  );
  await expect(video).toHaveAttribute("src", /clip_0_1000000_greedy\.mp4$/, PATIENCE);
  await expect(strip(page).locator("img").first()).toBeVisible();
  // The strip says what this policy reached in the episode that is played, and the agent's place says the same.
  await expect(strip(page)).toHaveAttribute("aria-valuetext", /, return [\d.]+$/);
  const said = (await strip(page).getAttribute("aria-valuetext"))?.split("return ")[1];
  const clips = (await (await request.get(`/api/runs/${hare}/clips`)).json()) as {
    id: string;
    episodes: { episode_return: number }[];
  }[];
  const untrained = clips.find(({ id }) => id === "clip_0_1000000_greedy");
  expect(Number(said)).toBeCloseTo(untrained?.episodes[0]?.episode_return ?? NaN, 1);
  await expect(moment(page).getByText(`Return ${said} in`)).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(title).not.toHaveText(/^Policy of step 0/);

  await moment(page).getByRole("button", { name: "Close the film" }).click();
  await expect(moment(page)).toHaveCount(0);
  await expect(page.locator("[data-moment]")).toHaveCount(0);

  await page.getByRole("button", { name: "How it learned" }).click();
  const growth = moment(page);
  await expect(title).toHaveText("How it learned");
  await expect(growth.locator("video")).toBeVisible(PATIENCE);
  const download = page.waitForEvent("download");
  await growth.getByRole("button", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("hare-growth.mp4");
});
