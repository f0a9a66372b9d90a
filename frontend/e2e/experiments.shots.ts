import path from "node:path";
import { expect, type Page, test } from "@playwright/test";

/**
 * Pictures of two experiments, created with the form in the first look; the other looks show their results.
 * On an idle machine, ten runs of CartPole take two minutes, and twenty of Pendulum three.
 */
const FOLDER = path.join(import.meta.dirname, "..", "screenshots");
const LONG = { timeout: 1_200_000 };
test.setTimeout(1_300_000);

interface Scene {
  name: string;
  /** Its name in the list. */
  title: string;
  fill: (page: Page) => Promise<unknown>;
  /** On its page after it has ended. */
  over: RegExp;
}

const SCENES: Scene[] = [
  {
    name: "by-hand-comparison",
    title: "PPO Fast or A2C Fast on CartPole-v1",
    fill: async (page) => {
      await page.getByLabel("Steps of each run").fill("20000");
      await expect(page.getByRole("status")).toHaveText("10 runs, 202k steps in total");
    },
    over: /^10 of 10 trials scored/,
  },
  {
    name: "by-hand-search",
    title: "Search for SAC on Pendulum-v1",
    fill: async (page) => {
      await page.getByText("Search", { exact: true }).click();
      await page.getByLabel("Environment").selectOption("Pendulum-v1");
      await page.getByLabel("Algorithm").selectOption("sac");
      await page.getByLabel("Steps of each run").fill("2000");
    },
    over: /^20 of 20 trials complete/,
  },
];

for (const { name, title, fill, over } of SCENES) {
  test(name, async ({ page }, { project }) => {
    const shoot = (what: string) =>
      page.screenshot({
        path: path.join(FOLDER, `${name}-${what}`, `${project.name}.png`),
        fullPage: true,
        animations: "disabled",
      });
    await page.goto("/experiments");
    await page.getByRole("button", { name: "New experiment" }).click();
    const form = page.getByRole("dialog", { name: "New experiment" });
    await fill(page);
    await shoot("form");
    const known = page.locator("main a", { hasText: title }); // hidden from roles while the form is open
    if (await known.count()) {
      await page.keyboard.press("Escape");
      await known.first().click();
    } else {
      await form.getByRole("button", { name: "Start", exact: true }).click();
      await page
        .getByText(/^[1-9]\d?%/)
        .first()
        .waitFor(LONG);
      await page.waitForTimeout(8_000);
      await shoot("live");
    }
    await expect(page.getByText(over).first()).toBeVisible(LONG);
    await page.waitForTimeout(2_000);
    await shoot("over");
  });
}
