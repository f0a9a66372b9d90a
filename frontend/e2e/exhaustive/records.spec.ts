import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { runPage } from "../seeded";
import { trained } from "../trained";

/** The same run for all tests. */
let recorded: Promise<string> | undefined;

test("two episodes play side by side from where their actions diverge", async ({
  page,
  request,
}) => {
  recorded ??= trained(request);
  const id = await recorded;
  const evaluations = `/api/runs/${id}/evaluations`;
  expect((await request.post(evaluations, { data: { episodes: 3 } })).status()).toBe(202);
  const newest = async () =>
    ((await (await request.get(evaluations)).json()) as { status: string }[])[0]?.status;
  await expect.poll(newest, PATIENCE).toBe("completed");
  await page.goto(`${runPage(id)}&view=evaluation`);
  const evaluation = page.getByRole("region", { name: "Evaluation", exact: true });
  await evaluation.getByRole("button", { name: "Worst beside best" }).click();
  const dialog = page.getByRole("dialog", { name: "Side by side" });
  await expect(dialog.getByText(/In step \d+ one does push (left|right)/)).toBeVisible();
  const videos = dialog.locator("video");
  await expect(videos).toHaveCount(2);
  await dialog.getByRole("button", { name: "Show this step" }).click();
  const sides = dialog.getByRole("figure");
  const acts = async (n: number) => /push (left|right)/.exec(await sides.nth(n).innerText())?.[0];
  expect(new Set([await acts(0), await acts(1)]).size).toBe(2);
  const both = await sides.allInnerTexts();
  expect(new Set(both.map((text) => /step \d+/.exec(text)?.[0])).size).toBe(1);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("records are verified and a flipped bit is found", async ({ page, request }) => {
  recorded ??= trained(request);
  const id = await recorded;
  const evaluations = `/api/runs/${id}/evaluations`;
  const newest = async () =>
    ((await (await request.get(evaluations)).json()) as { id: string; status: string }[])[0];
  if (!(await newest())) await request.post(evaluations, { data: { episodes: 1 } });
  await expect.poll(async () => (await newest())?.status, PATIENCE).toBe("completed");
  await page.goto(`${runPage(id)}&view=evaluation`);
  const evaluation = page.getByRole("region", { name: "Evaluation", exact: true });
  await evaluation.getByText("Steps", { exact: true }).click();
  const verify = evaluation.getByRole("button", { name: "Verify" });
  await verify.click();
  await expect(evaluation.getByText(/^Identical: [\d,]+ records/)).toBeVisible(PATIENCE);
  flipBit(id, (await newest())!.id);
  await verify.click();
  await expect(evaluation.getByText("Differs at step 8 of episode 1: frame_hash")).toBeVisible(
    PATIENCE,
  );
});

/** Changes one bit of the hash of the ninth frame in the service's file. */
function flipBit(run: string, evaluation: string) {
  const file = path.join(process.env.RLVIZ_E2E_RUNS!, run, "eval", `${evaluation}.steps.parquet`);
  const program = `
import sys
from pathlib import Path
from tests.support.step_files import change_value, flipped
change_value(Path(sys.argv[1]), "frame_hash", 8, flipped)`;
  const backend = path.join(import.meta.dirname, "..", "..", "..", "backend");
  execFileSync(path.join(backend, ".venv", "bin", "python"), ["-c", program, file], {
    cwd: backend,
  });
}
