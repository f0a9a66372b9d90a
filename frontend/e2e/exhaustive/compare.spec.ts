import { expect, type Page, test } from "@playwright/test";
import { points, videoTime } from "../run-page";
import { comparePage, seeded } from "../seeded";

/** Seconds by which the clock of one video may be ahead of the displayed frame of the other. */
const AHEAD = 0.25;

const legend = (page: Page) => page.getByRole("table", { name: "Compared runs" });
const lines = (page: Page) => legend(page).getByRole("rowheader");

test("curves are drawn over each other and each can be hidden", async ({ page }) => {
  const { good, slow, live } = seeded();
  await page.goto(comparePage(good, slow, live[0]!));
  const returns = page.getByRole("region", { name: "Episode return", exact: true });
  const entry = returns.getByRole("button", { name: /^PPO baseline/ });
  const inTable = legend(page).getByRole("button", { name: "Show PPO baseline" });
  await expect(entry).toHaveAttribute("aria-pressed", "true");
  await entry.click();
  await expect(entry).toHaveAttribute("aria-pressed", "false");
  await expect(inTable, "hidden on every chart").toHaveAttribute("aria-pressed", "false");
  await expect(page).toHaveURL(/hidden=/);
  await inTable.click();
  await expect(entry).toHaveAttribute("aria-pressed", "true");

  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(5);
  const held = await points(page, "Episode return");
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(held);
  await expect(page.getByRole("region", { name: "In short" })).toContainText(
    "Live 1 has not ended yet",
  );
});

test("only charts of the return show random actions", async ({ page, request }) => {
  const { good, slow } = seeded();
  const environments = (await (await request.get("/api/environments")).json()) as {
    id: string;
    random_return: { mean: number } | null;
  }[];
  const measured = environments.find(({ id }) => id === "CartPole-v1")!.random_return!.mean;
  await page.goto(comparePage(good, slow));
  const chart = (title: string) => page.getByRole("region", { name: title, exact: true });
  await expect(chart("Episode return")).toContainText(
    new RegExp(`Random\\s*${Math.floor(measured)}`),
  );
  await expect.poll(() => points(page, "Episode length")).toBeGreaterThan(5);
  await expect(chart("Episode length")).not.toContainText("Random");
});

test("a deleted run is restored from the page that misses it", async ({ page, request }) => {
  const { good, bare } = seeded();
  await request.delete(`/api/runs/${bare}`);
  await page.goto(comparePage(good, bare));
  await page.getByRole("button", { name: "Restore from the trash" }).click();
  await expect(lines(page)).toHaveCount(2);
  await expect(page.getByRole("region", { name: "In short" })).toBeVisible();
});

test("the videos play in sync, and a run without one can be evaluated @phone", async ({ page }) => {
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

test("runs are found by search, removed, and reported when they are deleted @phone", async ({
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

test("each environment has its own panel, and settings have a column for each run", async ({
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

test("runs, their other seeds, curves and figures are one request each", async ({ page }) => {
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
