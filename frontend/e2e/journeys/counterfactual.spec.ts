import { expect, type Page, test } from "@playwright/test";
import { broken } from "../accessible";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";
import { openMore } from "../new-run";
import { points } from "../run-page";
import { runPage, seeded } from "../seeded";

const card = (page: Page) => page.getByRole("region", { name: "Evaluation" });
/** The number of layered pictures on the canvas. */
const ghosts = (page: Page) => card(page).locator("canvas[data-ghosts]");

test("another action at a step of a recorded episode is drawn as a ghost, and dismissed", async ({
  page,
}) => {
  await page.goto(runPage(seeded().recorded, "episodes"));
  const player = card(page).getByRole("group", { name: /^Player of the evaluation/ });
  const menu = page.getByRole("menu", { name: "Try another action" });

  await player.locator("video").click({ button: "right" });
  await expect(menu.getByText("Episode 1, step 0: push left")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();

  await player.focus();
  await page.keyboard.press("o");
  await menu.getByRole("menuitem", { name: "push right instead" }).click();
  await expect(ghosts(page)).toHaveAttribute("data-ghosts", "2");
  const outcome = card(page).getByRole("group", { name: "From step 0 on" });
  await expect(outcome).toContainText("push left:60 more");
  await expect(outcome).toContainText("push right instead:9 more");
  await expect(player).toBeHidden();

  await page.keyboard.press("Escape");
  await expect(player).toBeVisible();
  await expect(ghosts(page)).toHaveCount(0);

  await card(page).getByRole("button", { name: "Try another action at this step" }).click();
  await menu.getByRole("menuitem", { name: "push right instead" }).click();
  await expect(ghosts(page)).toHaveAttribute("data-ghosts", "2"); // from the cache
  await card(page).getByRole("button", { name: "Back to the episode" }).click();
  await expect(player).toBeVisible();
});

test("the learning rate is halved at a point of the curve, and the fork is drawn beside its parent", async ({
  page,
}) => {
  const wait = { cues: [{ at_step: 24_000, do: "wait" }] };
  const service = await ownService({ runs: { "*": wait } });
  try {
    await page.goto(`${service.url}/?new`);
    const form = await openMore(page);
    await form.getByLabel("Timesteps").fill("1000000");
    await form.getByLabel("Name").fill("Parent");
    await form.getByRole("button", { name: "Start training" }).click();
    const drawn = () => points(page, "Episode return");
    await expect.poll(drawn, PATIENCE).toBeGreaterThan(20);

    const chart = page.getByRole("region", { name: "Episode return" });
    await chart.getByRole("slider", { name: /^Episode return: Arrow keys/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("o");
    const menu = page.getByRole("menu", { name: /^Change something from step/ });
    const halve = menu.getByRole("menuitem", { name: /^Halve the learning rate here/ });
    await expect(halve).toBeVisible();
    expect(await broken(page)).toEqual([]);
    await halve.click();

    const forks = page.getByRole("region", { name: "Forks of this run" });
    const child = forks.getByRole("link", { name: /^Parent, learning_rate/ });
    await expect(child).toBeVisible();
    const entry = chart.getByRole("button", { name: /^Parent, learning_rate/ });
    await expect(entry).not.toContainText("–", PATIENCE); // it has values

    await page.reload();
    await expect(entry).toBeVisible();
    await forks.getByRole("switch").press(" ");
    await expect(entry).toHaveCount(0);
    await forks.getByRole("switch").press(" ");
    await expect(entry).toBeVisible();
    await child.click();
    await expect(page.getByRole("heading", { name: /^Parent, learning_rate/ })).toBeVisible();
  } finally {
    await service.close();
  }
});
