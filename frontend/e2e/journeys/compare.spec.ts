import { expect, type Page, test } from "@playwright/test";
import { points, videoTime } from "../run-page";
import { comparePage, seeded } from "../seeded";

const figures = (page: Page) => page.getByRole("region", { name: "Figures" });
const legend = (page: Page) => page.getByRole("table", { name: "Compared runs" });
const lines = (page: Page) => legend(page).getByRole("rowheader");

test("two runs: a verdict, figures, a threshold of one's own, settings @phone", async ({
  page,
}) => {
  const { good, slow } = seeded();
  await page.goto(comparePage(good, slow));
  const inShort = page.getByRole("region", { name: "In short" });
  await expect(inShort).toContainText("Not enough seeds to compare: one seed each.");
  await expect(inShort).toContainText(
    /PPO baseline ends at [\d.]+, .* at [\d.]+: the difference exceeds/,
  );
  await expect(
    figures(page).getByText("best", { exact: true }).filter({ visible: true }),
  ).not.toHaveCount(0);
  await expect(
    figures(page).getByText("not reached").filter({ visible: true }).first(),
  ).toBeVisible();

  await figures(page).getByLabel("Threshold", { exact: true }).fill("100");
  await expect(page).toHaveURL(/threshold=100/);
  await expect(figures(page).getByText("not reached").filter({ visible: true })).toHaveCount(0);
  await page.reload();
  await expect(figures(page).getByLabel("Threshold", { exact: true })).toHaveValue("100");

  const settings = page.getByRole("region", { name: "Settings that differ" });
  await expect(settings.getByRole("rowheader", { name: "algo" })).toBeVisible();
  await expect(settings.getByText("env_id")).toHaveCount(0);
});

/** Seconds that the clock of a video may be ahead of the frame on the screen, which the other video shows. */
const AHEAD = 0.25;

test("the videos play as one, and a run without one can be evaluated @phone", async ({ page }) => {
  const { good, slow, bare } = seeded();
  await page.goto(comparePage(good, slow, bare));
  const videos = page.getByRole("region", { name: "Policies side by side" });
  await expect(videos.getByRole("button", { name: "Evaluate PPO, lower gamma" })).toBeEnabled();
  await expect(videos.locator("video")).toHaveCount(2);
  await videos.getByLabel("Speed").selectOption("0.25"); // so that none has ended before they are paused
  await videos.getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(() => videoTime(videos.locator("video").first())).toBeGreaterThan(0.3);
  await videos.getByRole("button", { name: "Pause" }).click();
  const apart = async () => {
    const times = [0, 1].map((i) => videoTime(videos.locator("video").nth(i)));
    const [one, two] = await Promise.all(times);
    return Math.abs(one! - two!);
  };
  await expect.poll(apart).toBeLessThan(AHEAD);

  await videos.getByRole("group", { name: "Player of all videos" }).focus();
  await page.keyboard.press("End");
  const ends = [0, 1].map((i) => videos.locator("video").nth(i));
  await expect.poll(() => videoTime(ends[0]!)).toBeGreaterThan(4);
  await expect.poll(() => videoTime(ends[1]!)).toBeLessThan(4);
  await expect(videos.getByText("ended")).toBeVisible();
});

test("runs are found by search, taken out again, and missed when they are gone @phone", async ({
  page,
}) => {
  const { good } = seeded();
  await page.goto(comparePage(good));
  await expect(page.getByText("Choose another run to compare with")).toBeVisible();
  await page.getByRole("button", { name: "Add runs" }).click();
  await page.getByPlaceholder("Search runs").fill("lower gamma");
  await page.getByRole("option", { name: /PPO, lower gamma/ }).click();
  await page.keyboard.press("Escape");
  await expect(lines(page)).toHaveCount(2);
  await page.getByRole("button", { name: "Remove PPO baseline" }).click();
  await expect(lines(page)).toHaveCount(1);
  await page.goto(comparePage(good, "gone-run"));
  await expect(page.getByRole("alert").filter({ hasText: "gone-run" })).toBeVisible();
  await page.getByRole("button", { name: "Remove from comparison" }).click();
  await expect(page.getByRole("button", { name: /^Compare PPO baseline and/ })).toBeVisible();
});

test("each environment has a panel of its own, and settings a column for each run", async ({
  page,
}) => {
  const { good, acrobot } = seeded();
  await page.goto(comparePage(good, acrobot));
  for (const environment of ["CartPole-v1", "Acrobot-v1"]) {
    await expect.poll(() => points(page, `Episode return · ${environment}`)).toBeGreaterThan(100);
  }
  const settings = page.getByRole("region", { name: "Settings that differ" });
  await expect(settings.getByRole("columnheader", { name: "Acrobot swing" }).first()).toBeVisible();
});

test("runs, other seeds of theirs, curves and figures are one request each", async ({ page }) => {
  const { good, slow, bare } = seeded();
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/(runs(\/[^/]+(\/metrics.*)?)?|metrics\/curves|compare)$/.test(pathname))
      asked.push(pathname);
  });
  await page.goto(comparePage(good, slow, bare));
  await expect(page.locator("[data-points]").first()).not.toHaveAttribute("data-points", "0");
  await expect(page.getByRole("button", { name: /, up to 5 of each$/ })).toBeVisible();
  const runs = "/api/runs";
  expect(asked.toSorted()).toEqual(["/api/compare", "/api/metrics/curves", runs, runs]);
});
