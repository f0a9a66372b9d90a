import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { live, sideways, status } from "../run-page";

test.describe.configure({ mode: "serial" });
test.use({ contextOptions: { reducedMotion: "no-preference" } }); // otherwise it plays on request only

const canvas = (page: Page) => live(page).getByRole("img", { name: /plays CartPole-v1$/ });
const frames = async (page: Page) => Number(await canvas(page).getAttribute("data-frames"));
const policyStep = async (page: Page) => {
  const words = await live(page).getByRole("heading", { level: 2 }).innerText();
  return Number(/step ([\d,]+)/.exec(words)?.[1]?.replaceAll(",", ""));
};

/** Whether nothing lies over an element. */
const isBare = (element: Element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [left + 1, (left + right) / 2, right - 1].every(
    (x) => document.elementFromPoint(x, (top + bottom) / 2) === element,
  );
};

let run = "";

/** A run that trains for as long as these tests look at it. */
test.beforeAll(async ({ request }) => {
  const answer = await request.post("/api/runs", {
    data: {
      ...{ algo: "ppo", env_id: "CartPole-v1", name: "Watched" },
      ...{ total_timesteps: 2_000_000, start: true },
    },
  });
  run = ((await answer.json()) as { id: string }).id;
});

test.afterAll(async ({ request }) => {
  await request.post(`/api/runs/${run}/stop`);
});

test("on a phone the agent plays below its title, in a corner while one scrolls, and keys are taken by touch @touch", async ({
  page,
}) => {
  await page.goto(`/runs/view?id=${run}`);
  await expect(status(page, "running")).toBeVisible(PATIENCE);
  await canvas(page).scrollIntoViewIfNeeded(PATIENCE);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
  expect(await sideways(page)).toBe(0);
  const { width } = (await canvas(page).boundingBox())!;
  expect(width).toBeGreaterThan(320);
  await expect(live(page).getByRole("region", { name: "Action probabilities" })).toBeVisible();

  await page.locator("#details").scrollIntoViewIfNeeded();
  const corner = page.getByRole("button", { name: "Close the small window" });
  await expect(corner).toBeVisible(PATIENCE);
  const before = await frames(page);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(before + 3);
  await live(page).getByText("Value slice", { exact: true }).click();
  await live(page).getByText("What if", { exact: true }).click(PATIENCE);
  await expect(page.getByRole("group", { name: "Live, in a corner" })).toBeVisible(PATIENCE);
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

  await canvas(page).scrollIntoViewIfNeeded(PATIENCE);
  await live(page).getByRole("button", { name: "Take the controls" }).click();
  const right = page.getByRole("group", { name: "Keys" }).getByRole("button", { name: /right/ });
  await right.tap(PATIENCE);
  await expect(live(page).getByText(/\(person\)/)).toBeVisible(PATIENCE);
});

test("the agent plays and shows what it thinks while it trains", async ({ page }) => {
  await page.goto(`/runs/view?id=${run}`);
  await expect(status(page, "running")).toBeVisible(PATIENCE);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);

  const readings = live(page).getByRole("region", { name: "Action probabilities" });
  await expect(readings).toContainText("push left");
  await expect(readings.getByText(/\d%$/)).toHaveCount(2);
  await expect(live(page).getByRole("region", { name: "Observation" })).toContainText("pole angle");

  const first = await policyStep(page);
  await expect.poll(() => policyStep(page), PATIENCE).toBeGreaterThan(first);
});

test("actions are chosen greedily or not, and a moment can be gone back to", async ({ page }) => {
  await page.goto(`/runs/view?id=${run}`);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
  await live(page).getByRole("radio", { name: "Exploring" }).check({ force: true });
  await expect(live(page).getByRole("radio", { name: "Exploring" })).toBeChecked();
  const before = await frames(page);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(before + 3);

  const reward = live(page).getByRole("slider", { name: "Reward over the episode" });
  await reward.focus();
  await page.keyboard.press("Home");
  await expect(reward).toHaveAttribute("aria-valuetext", /^step 0:/);
  await expect(live(page).getByText("The reset of the environment")).toBeVisible();
  await expect(async () => {
    const still = await frames(page);
    await page.waitForTimeout(1_000);
    expect(await frames(page)).toBe(still);
  }).toPass();
  const still = await frames(page);
  await live(page).getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(still + 3);
});

test("the controls are taken in mid-episode, a key changes the state, and they are handed back", async ({
  page,
}) => {
  await page.goto(`/runs/view?id=${run}`);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
  await live(page).getByRole("button", { name: "Take the controls" }).click();
  const stage = live(page).getByRole("application");
  await expect(stage).toBeFocused(PATIENCE);
  await expect(live(page).getByText(/you play$/)).toBeVisible(PATIENCE);

  const observation = live(page).getByRole("region", { name: "Observation" });
  const ledHere = live(page).getByRole("region", { name: "What led here" });
  const before = await observation.innerText();
  await page.keyboard.down("ArrowRight");
  await expect(ledHere).toContainText("push right (person)", PATIENCE);
  await page.keyboard.up("ArrowRight");
  await expect(observation).not.toHaveText(before, { useInnerText: true });

  await live(page).getByRole("button", { name: "Hand back" }).click();
  await expect(live(page).getByText(/greedy$/)).toBeVisible(PATIENCE);
  const handed = await frames(page);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(handed + 3);
  await expect(ledHere).not.toContainText("person");
});
