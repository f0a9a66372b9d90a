import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { live } from "../run-page";
import { frames, watchedRun } from "../watched";

test.describe.configure({ mode: "serial" });
test.use({ contextOptions: { reducedMotion: "no-preference" } }); // otherwise it plays on request only

const run = watchedRun();

test("actions are chosen greedily or sampled, and the user can go back to a moment", async ({
  page,
}) => {
  await page.goto(`/runs/view?id=${run()}`);
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

test("the controls are taken mid-episode, a key changes the state, and they are handed back", async ({
  page,
}) => {
  await page.goto(`/runs/view?id=${run()}`);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(5);
  await live(page).getByRole("button", { name: "Take the controls" }).click();
  const keyboard = live(page).getByRole("application");
  await expect(keyboard).toBeFocused(PATIENCE);
  await expect(live(page).getByText(/you play$/)).toBeVisible(PATIENCE);

  const observation = live(page).getByRole("region", { name: "Observation" });
  const lastAction = live(page).getByRole("region", { name: "Last action" });
  const before = await observation.innerText();
  await page.keyboard.down("ArrowRight");
  await expect(lastAction).toContainText("push right (person)", PATIENCE);
  await page.keyboard.up("ArrowRight");
  await expect(observation).not.toHaveText(before, { useInnerText: true });

  await live(page).getByRole("button", { name: "Hand back" }).click();
  await expect(live(page).getByText(/greedy$/)).toBeVisible(PATIENCE);
  const handed = await frames(page);
  await expect.poll(() => frames(page), PATIENCE).toBeGreaterThan(handed + 3);
  await expect(lastAction).not.toContainText("person");
});
