import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { picture, points, status } from "../run-page";
import { runPage, seeded } from "../seeded";

const RETURN = "Episode return";

test("updates are shown during training, with the newest selected by default @phone", async ({
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

test("full screen has the event switch, and a picture is saved with events", async ({ page }) => {
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

test("axis, scale and smoothing change the picture and stay in the address @phone", async ({
  page,
}) => {
  await page.goto(runPage(seeded().good));
  await expect.poll(() => points(page, RETURN)).toBeGreaterThan(100);
  const steps = await picture(page, RETURN);
  await page.getByRole("radio", { name: "Time" }).press("Space");
  await expect(page).toHaveURL(/x=time/);
  await expect.poll(() => picture(page, RETURN)).not.toBe(steps);
  await page.getByRole("slider", { name: "Smoothing", exact: true }).press("Home");
  await expect(page).toHaveURL(/smooth=0/);
  await page.reload();
  await expect(page.getByRole("radio", { name: "Time" })).toBeChecked();
  await expect.poll(() => points(page, RETURN)).toBeGreaterThan(100);
});

test("a training run draws its curves live", async ({ page }) => {
  await page.goto(runPage(seeded().live[0]!));
  await expect(status(page, "running")).toBeVisible();
  await expect.poll(() => points(page, RETURN)).toBeGreaterThan(5);
  const drawn = await picture(page, RETURN);
  const held = await points(page, RETURN);
  await expect.poll(() => points(page, RETURN)).toBeGreaterThan(held);
  await expect.poll(() => picture(page, RETURN)).not.toBe(drawn);
});

test("a missing run says so", async ({ page }) => {
  for (const [query, words] of [
    ["", "No run was named"],
    ["?id=no-such-run", "This run does not exist"],
    ["?id=..%2F..%2Fetc", "This run does not exist"],
  ] as const) {
    await page.goto(`/runs/view${query}`);
    await expect(page.getByText(words)).toBeVisible();
  }
});
