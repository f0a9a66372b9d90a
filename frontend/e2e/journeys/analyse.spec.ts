import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { chart, points } from "../run-page";

const view = (page: Page, name: string) => page.getByRole("radio", { name, exact: true });
const card = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true });

const choose = (page: Page, name: string) => view(page, name).press("Space");

test("runs are grouped by a setting and drawn in each way, and the address keeps the view @phone", async ({
  page,
}) => {
  await page.goto("/analyse?q=PPO&env_id=CartPole-v1"); // other tests may have runs elsewhere
  await page.getByLabel("Group by").selectOption("hp_gamma");
  await page.getByLabel("Measure").selectOption("ep_rew_mean");
  const groups = card(page, "Mean return by gamma").getByRole("listitem");
  const usual = groups.filter({ hasText: /^0\.99\d/ });
  await expect(usual.getByRole("img", { name: /median .+, quartiles/ })).toBeVisible(PATIENCE);
  await expect(groups.filter({ hasText: /^0\.95\d/ })).toBeVisible();

  await expect.poll(() => points(page, "Learning curves"), PATIENCE).toBeGreaterThan(20);
  await expect(chart(page, "Learning curves")).toBeVisible();

  await choose(page, "Scatter");
  await page.getByLabel("Along").selectOption("seed");
  const scatter = card(page, "Mean return against seed");
  await expect(scatter.getByText(/rank correlation/).first()).toBeVisible(PATIENCE);
  await scatter.getByText(/^The best \d+ runs$/).click();
  const best = scatter.getByRole("list").last().getByRole("link").first();
  await expect(best).toHaveAttribute("href", /\/runs\/view\?id=ppo-/);

  await page.evaluate(() => Object.assign(window, { isSameVisit: true }));
  await scatter.locator("svg a").first().dispatchEvent("click");
  await expect(page).toHaveURL(/\/runs\/view\?id=ppo-/);
  expect(await page.evaluate(() => "isSameVisit" in window), "opened within the app").toBe(true);
  await page.goBack();

  await choose(page, "Pivot");
  await page.getByLabel("Across").selectOption("env_id");
  const pivot = page.getByRole("region", { name: "Pivot" });
  await expect(pivot.getByRole("columnheader", { name: "CartPole-v1" })).toBeVisible(PATIENCE);
  await expect(pivot.getByRole("rowheader", { name: "0.95" })).toBeVisible();

  const kept = new URL(page.url()).searchParams;
  expect(Object.fromEntries(kept)).toMatchObject({
    ...{ q: "PPO", view: "pivot", by: "hp_gamma", measure: "ep_rew_mean", x: "seed" },
  });
  await page.goto("/");
  await page.goto(`/analyse?${kept}`);
  await expect(view(page, "Pivot")).toBeChecked();
  await expect(page.getByLabel("Group by")).toHaveValue("hp_gamma");
  await expect(pivot.getByRole("rowheader", { name: "0.95" })).toBeVisible(PATIENCE);
});

test("SQL returns results, shows errors at their position and refuses to write, and the address keeps the query", async ({
  page,
}) => {
  await page.goto("/analyse?view=sql");
  const box = page.getByRole("textbox", { name: "SQL" });
  const ask = async (sql: string) => {
    await box.fill(sql);
    await box.press("Control+Enter");
  };
  const rows = page.getByRole("region", { name: "Rows" }).getByRole("row");

  await ask("SELECT id, name FROM runs WHERE name = 'PPO baseline'");
  await expect(rows).toHaveCount(2, PATIENCE);
  await expect(rows.last().getByRole("link")).toHaveAttribute("href", /\/runs\/view\?id=ppo-/);
  await page.reload();
  await expect(box).toHaveValue(/PPO baseline/);
  await expect(rows).toHaveCount(2, PATIENCE);

  const refusal = page.getByRole("main").getByRole("alert");
  for (const sql of ["DELETE FROM runs", "SELECT * FROM read_text('/etc/passwd')"]) {
    await ask(sql);
    await expect(refusal).toContainText(
      /Only one SELECT can be run|cannot be used in FROM/,
      PATIENCE,
    );
    await expect(rows).toHaveCount(0);
  }
  await ask("SELECT nam FROM runs");
  await refusal.getByRole("button", { name: "Show the error" }).click();
  expect(
    await box.evaluate((area: HTMLTextAreaElement) => [area.selectionStart, area.selectionEnd]),
  ).toEqual([7, 8]);

  await ask("SELECT count(*) AS runs FROM runs");
  await expect(rows.last()).toHaveText(/^\d+$/, PATIENCE);
  expect(Number(await rows.last().textContent()), "all are still there").toBeGreaterThan(10);
});
