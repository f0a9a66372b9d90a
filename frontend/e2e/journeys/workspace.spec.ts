import { expect, type Page, test } from "@playwright/test";
import { broken } from "../accessible";
import { PATIENCE } from "../patience";
import { chartCursor, points, sideways } from "../run-page";
import { comparePage, seeded } from "../seeded";

const legend = (page: Page) => page.getByRole("table", { name: "Compared runs" });
const card = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true });
const charts = (page: Page) => page.getByRole("region", { name: "Charts", exact: true });

test("shared metrics are in a grid with one cursor and zoom, and a view is saved under a name @phone", async ({
  page,
}, { project }) => {
  const { good, slow, bare } = seeded();
  await page.goto(comparePage(good, slow, bare));
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(5);
  await expect.poll(() => points(page, "Episode length")).toBeGreaterThan(5);
  await expect(legend(page).getByRole("rowheader")).toHaveCount(3);
  await expect(legend(page).getByRole("row", { name: /PPO baseline/ })).toContainText(/best/);

  await chartCursor(page, "Episode return").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(card(page, "Episode length").locator("li").first()).toContainText(/\d/);
  await page.keyboard.press("+");
  await expect(charts(page).getByRole("button", { name: "Reset zoom" })).toBeEnabled();

  await page.getByRole("button", { name: "Metrics", exact: true }).click();
  const metrics = page.getByRole("dialog", { name: "Metrics" });
  await metrics.getByRole("button", { name: "Move Episode length up" }).click();
  await expect(page).toHaveURL(/metrics=episode\/length,episode\/reward/);
  await expect(charts(page).getByRole("region").first()).toHaveAccessibleName("Episode length");
  await metrics.getByRole("checkbox", { name: "Episode length" }).click();
  await expect(page).toHaveURL(/metrics=/);
  await expect(card(page, "Episode length")).toHaveCount(0);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Save this view as").fill("Without lengths");
  await page.keyboard.press("Enter");
  const view = page.getByRole("list", { name: "Saved views" }).getByRole("button").first();
  await expect(view).toHaveText("Without lengths");
  await page.goto("/compare");
  await page.getByRole("button", { name: "Views" }).click();
  await view.click();
  await expect(page).toHaveURL(/metrics=/);
  await expect(legend(page).getByRole("rowheader")).toHaveCount(3);
  await expect(card(page, "Episode length")).toHaveCount(0);
  expect(await sideways(page)).toBe(0);
  expect(await broken(page), `axe on ${project.name}`).toEqual([]);
});

test("policies race as ghosts in one frame, in sync on one seed, and against the user @phone", async ({
  page,
}) => {
  const { hare, tortoise } = seeded();
  await page.goto(comparePage(hare, tortoise));
  await page.getByRole("radio", { name: "Ghost race" }).press("Space");
  await expect(page).toHaveURL(/policies=race/);
  const race = card(page, "Ghost race");
  const frame = race.getByRole("img", { name: /in one frame$/ });
  await race.getByRole("list", { name: "Racers" }).scrollIntoViewIfNeeded();
  await expect(frame).toHaveAttribute("data-ghosts", "2", PATIENCE);

  await race.getByRole("button", { name: "Pause", exact: true }).click();
  const steps = () =>
    race
      .getByRole("list", { name: "Racers" })
      .getByRole("listitem")
      .evaluateAll((all) => all.map((each) => /Step (\d+)/.exec(each.textContent)?.[1]));
  const ended = race.getByText(/terminated|truncated/);
  await expect
    .poll(async () => new Set(await steps()).size === 1 || (await ended.count()) > 0, PATIENCE)
    .toBe(true);

  await race.getByRole("button", { name: "Race against them" }).click();
  const you = race.getByRole("application", { name: "You in the race" });
  await expect(you).toBeFocused();
  await race.getByRole("button", { name: "Play", exact: true }).click();
  // The service allows two sessions, so that one policy makes room.
  await expect(frame).toHaveAttribute("aria-label", /^Hare, You in/);
  await expect(frame).toHaveAttribute("data-ghosts", "2", PATIENCE);
  await you.focus();
  await page.keyboard.down("ArrowRight");
  const yours = race.getByRole("listitem", { name: "You" });
  await expect(yours, "a pole that is pushed one way falls").toContainText(/terminated/, PATIENCE);
  await page.keyboard.up("ArrowRight");
  await expect(race.getByRole("group", { name: "Keys" })).toBeVisible();
  expect(await sideways(page)).toBe(0);
  expect(await broken(page)).toEqual([]);
  await you.focus();
  await page.keyboard.press("Escape");
  await expect(race.getByRole("button", { name: "Race against them" })).toBeVisible();
  await expect(race.getByRole("list", { name: "Racers" }).getByRole("listitem")).toHaveCount(2);
});
