import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";

import { runPage, seeded } from "../seeded";

test("updates are looked into while it trains, the newest until another is chosen @phone", async ({
  page,
  request,
}) => {
  const hyperparameters = { n_steps: 128, n_envs: 2, batch_size: 64, n_epochs: 2 };
  const data = { algo: "ppo", total_timesteps: 60_000, hyperparameters, start: true };
  const created = await request.post("/api/runs", { data });
  const { id } = (await created.json()) as { id: string };
  await page.goto(runPage(id, "inside"));
  const over = page.getByRole("slider", { name: "Advantages over training" });
  await expect(over).toBeVisible(PATIENCE);
  const last = async () => Number(await over.getAttribute("aria-valuemax"));
  await expect.poll(last, PATIENCE).toBeGreaterThan(0);
  await expect(page.getByText("newest update")).toBeVisible();
  await over.press("Home");
  await expect(over).toHaveAttribute("aria-valuenow", "0");
  await expect(page.getByText("newest update")).toBeHidden();
  await over.press("End");
  await expect(page.getByText("newest update")).toBeVisible();
  await expect(page.getByRole("region", { name: "Weights" })).toBeVisible();
  await request.post(`/api/runs/${id}/stop`);
});

test("full screen has the switch of the events, and a picture is saved with them", async ({
  page,
}) => {
  await page.goto(runPage(seeded().good));
  const card = page.getByRole("region", { name: "Episode return" });
  await expect(card.getByRole("list", { name: "Events" })).toBeVisible();
  await card.getByRole("button", { name: "Episode return: full screen" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("list", { name: "Events" })).toBeVisible();
  await dialog.getByText("Events", { exact: true }).click();
  await expect(dialog.getByRole("list", { name: "Events" })).toHaveCount(0);
  await dialog.getByText("Events", { exact: true }).click();
  await expect(dialog.getByRole("list", { name: "Events" })).toBeVisible();
  await dialog.getByRole("button", { name: "Episode return: download" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Download picture (PNG)" }).click();
  expect((await saved).suggestedFilename()).toMatch(/episode-return\.png$/);
});
