import path from "node:path";
import { type APIRequestContext, expect, type Page, test } from "@playwright/test";
import { status, videoTime } from "./run-page";
import { runPage } from "./seeded";

/**
 * Pictures of the app with training runs. Only two of the looks are taken, the light desktop and the dark phone, because
 * each scene trains. `LOOKS=.` takes all four, and `SHOTS=pong` some scenes. Each waits for what it should show.
 */
test.use({ contextOptions: { reducedMotion: "no-preference" } }); // otherwise it plays on request only

const FOLDER = path.join(import.meta.dirname, "..", "screenshots");
const LONG = { timeout: 120_000 };

const stage = (page: Page) => page.getByRole("region", { name: /^(Live|Stage)$/ });
const canvas = (page: Page) => stage(page).locator("canvas[role=img]").first();
const frames = async (page: Page) => Number(await canvas(page).getAttribute("data-frames", LONG));

interface Scene {
  name: string;
  run?: { algo: string; env_id: string; total_timesteps?: number };
  play: (page: Page, id: string) => Promise<unknown>;
}

/** Shows the agent beside its predictions. */
async function seen(page: Page, thoughts: RegExp) {
  await stage(page).scrollIntoViewIfNeeded(LONG);
  await expect.poll(() => frames(page), LONG).toBeGreaterThan(20);
  await expect(page.getByRole("region", { name: thoughts })).toBeVisible(LONG);
}

/** Waits for the start of an episode, when an untrained lander is still in the picture. */
async function early(page: Page) {
  const fact = stage(page).first().getByRole("definition");
  const at = async () => Number(((await fact.nth(1).textContent(LONG)) ?? "").replace(/\D/g, ""));
  const isEarly = async () => Math.abs((await at()) - 8) < 5;
  await expect.poll(isEarly, { ...LONG, intervals: [100] }).toBe(true);
}

const live =
  (thoughts: RegExp, learned = 0) =>
  async (page: Page, id: string) => {
    await expect(status(page, "running")).toBeVisible(LONG);
    const step = async () =>
      ((await (await page.request.get(`/api/runs/${id}`)).json()) as { step: number }).step;
    await expect.poll(step, { timeout: 200_000 }).toBeGreaterThan(learned);
    await seen(page, thoughts);
  };

const landing =
  (...wanted: Parameters<typeof live>) =>
  async (page: Page, id: string) => {
    await live(...wanted)(page, id);
    await early(page);
  };

async function saliency(page: Page, id: string) {
  await live(PROBABILITIES)(page, id);
  await page.getByRole("switch", { name: "Saliency" }).click({ force: true });
  const seen = page.getByRole("img", { name: /how much each pixel mattered/ });
  await seen.scrollIntoViewIfNeeded(LONG);
}

/** A value slice of the training policy, with one component held at another value than observed. */
async function whatIf(page: Page, id: string) {
  await live(PROBABILITIES, 8_000)(page, id);
  await page.getByText("Value slice", { exact: true }).click();
  const slice = page.getByRole("application", { name: /over .+ and .+, from/ });
  await expect(slice).toBeVisible(LONG);
  await page.getByText("Change the observation", { exact: true }).click();
  const held = page.getByRole("list", { name: "Held at" });
  await held.getByRole("slider").first().press("PageUp");
  await held.evaluate((list) => list.scrollIntoView({ block: "end" }));
  await page.waitForTimeout(1_500);
}

async function scrubbed(page: Page, id: string) {
  await ended(page.request, id);
  const strip = page.getByRole("slider", { name: /^Filmstrip/ });
  await strip.focus(LONG);
  await page.keyboard.press("Home");
  for (let moments = 0; moments < 12; moments += 1) await page.keyboard.press("ArrowRight");
  const video = page.getByRole("region", { name: "Moment" }).locator("video");
  await expect(video).toBeVisible(LONG);
  await expect.poll(() => videoTime(video), LONG).toBeGreaterThan(0.3);
  await expect(page.getByRole("region", { name: PROBABILITIES })).toBeVisible(LONG);
  await page.keyboard.press("Escape");
  // The strip below the header, and on a phone the video below it.
  if (page.viewportSize()!.width < 1_000)
    await strip.evaluate((element) => window.scrollBy(0, element.getBoundingClientRect().top - 70));
}

async function tableAlive(page: Page) {
  await stage(page).first().scrollIntoViewIfNeeded(LONG);
  await expect.poll(() => frames(page), LONG).toBeGreaterThan(5);
  await page.getByRole("tab", { name: "Inside" }).click();
  const table = page.getByRole("region", { name: "Q-table" });
  await expect(table.getByLabel(/the agent is here$/)).toBeVisible(LONG);
  await table.scrollIntoViewIfNeeded();
}

async function byHand(page: Page) {
  const caps = page.getByRole("group", { name: "Keys" }).getByRole("button");
  await expect(caps.first()).toBeVisible(LONG);
  await expect.poll(() => frames(page), LONG).toBeGreaterThan(0);
  await page.getByRole("application").click();
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press(presses % 2 ? "ArrowLeft" : "ArrowRight");
  }
  await page.keyboard.down("ArrowRight");
  await expect(caps.and(page.locator("[aria-pressed=true]")).first()).toBeVisible();
}

async function handedOver(page: Page) {
  await byHand(page);
  await page.keyboard.up("ArrowRight");
  await page.getByRole("radio", { name: "Policy" }).click({ force: true });
  await expect(page.getByText(/The policy of step [\d,]+ plays/)).toBeVisible(LONG);
  const before = await frames(page);
  await expect.poll(() => frames(page), LONG).toBeGreaterThan(before + 10);
}

async function ended(request: APIRequestContext, id: string) {
  const state = async () =>
    ((await (await request.get(`/api/runs/${id}`)).json()) as { status: string }).status;
  await expect.poll(state, LONG).toBe("completed");
}

const PROBABILITIES = /^Action probabilities/;
const CART = { algo: "ppo", env_id: "CartPole-v1" };
const SCENES: Scene[] = [
  { name: "live-cartpole", run: CART, play: live(PROBABILITIES) },
  {
    name: "live-lunar-lander",
    run: { algo: "ppo", env_id: "LunarLander-v3" },

    play: landing(PROBABILITIES),
  },
  {
    name: "thoughts-dqn",
    run: { algo: "dqn", env_id: "LunarLander-v3" },
    play: landing(/^(Q|Return by action)/, 2_000),
  },
  { name: "thoughts-ppo", run: CART, play: live(PROBABILITIES, 20_000) },
  {
    name: "thoughts-sac",
    run: { algo: "sac", env_id: "Pendulum-v1" },
    play: live(/^Action/, 1_000),
  },
  {
    name: "q-table-alive",
    run: { algo: "q-learning", env_id: "FrozenLake-v1", total_timesteps: 10_000_000 },
    play: tableAlive,
  },
  {
    name: "live-pong",
    run: { algo: "ppo", env_id: "ALE/Pong-v5" },
    play: saliency,
  },
  { name: "value-slice-what-if", run: CART, play: whatIf },
  { name: "filmstrip-scrubbed", run: { ...CART, total_timesteps: 20_000 }, play: scrubbed },
  {
    name: "play-by-hand",

    play: async (page) => {
      await page.goto("/play?env=LunarLander-v3");
      await byHand(page);
    },
  },
  {
    name: "play-handed-over",
    run: { ...CART, total_timesteps: 20_000 },
    play: async (page, id) => {
      await ended(page.request, id);
      const { width } = page.viewportSize()!;
      await page.setViewportSize({ width, height: width > 1_000 ? 900 : 844 });
      await page.goto(`/play?run=${id}`);
      await handedOver(page);
    },
  },
];

const wanted = process.env.SHOTS ? new RegExp(process.env.SHOTS) : /./;

const looks = new RegExp(process.env.LOOKS ?? "^(desktop-light|phone-dark)$");

for (const { name, run, play } of SCENES.filter(({ name }) => wanted.test(name))) {
  test(name, async ({ page, request }, { project }) => {
    const { viewport } = project.use;
    test.skip(!looks.test(project.name), "Each scene trains: two looks are enough");
    let id = "";
    if (run) {
      const data = { total_timesteps: 5_000_000, seed: 3, name, start: true, ...run };
      const made = await request.post("/api/runs", { data });
      expect(made.status(), await made.text()).toBe(201);
      ({ id } = (await made.json()) as { id: string });
      await page.goto(runPage(id));
      if (viewport?.width === 1440) await page.setViewportSize({ width: 1440, height: 1500 });
    }
    try {
      await play(page, id);
      const file = path.join(FOLDER, `drive-${name}`, `${project.name}.png`);
      await page.screenshot({ path: file });
    } finally {
      if (run) await request.post(`/api/runs/${id}/stop`);
    }
  });
}
