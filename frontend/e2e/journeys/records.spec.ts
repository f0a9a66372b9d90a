import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { runPage } from "../seeded";
import { trained } from "../trained";

/** The same run for all tests. */
let recorded: Promise<string> | undefined;

test("steps are found by a condition in words, with the columns that are chosen, and exported", async ({
  page,
  request,
}) => {
  recorded ??= trained(request);
  const id = await recorded;
  const evaluations = `/api/runs/${id}/evaluations`;
  const newest = async () =>
    ((await (await request.get(evaluations)).json()) as { status: string }[])[0]?.status;
  if (!(await newest())) await request.post(evaluations, { data: { episodes: 1 } });
  await expect.poll(newest, PATIENCE).toBe("completed");
  await page.goto(`${runPage(id)}&view=evaluation`);
  const evaluation = page.getByRole("region", { name: "Evaluation", exact: true });
  await evaluation.getByText("Steps", { exact: true }).click();
  const table = evaluation.getByRole("table", { name: "Steps" });
  await expect(table).toBeVisible();
  await evaluation.getByRole("button", { name: "Columns" }).click();
  const columns = page.getByRole("dialog", { name: "Columns of the table" });
  await columns.getByRole("option", { name: "pole angle [rad]" }).click();
  await page.keyboard.press("Escape");
  await expect(table.getByRole("columnheader", { name: "pole angle [rad]" })).toBeVisible();

  const condition = evaluation.getByRole("textbox", { name: "Condition" });
  const all = await table.getAttribute("aria-rowcount");
  await condition.fill("rewrad < 0");
  await condition.press("Enter");
  await expect(evaluation.getByText(/Did you mean 'reward'\?/)).toBeVisible();
  await expect(table).toHaveAttribute("aria-rowcount", all!);
  await condition.fill("action = push left and index <= 40");
  await condition.press("Enter");
  await expect(table).not.toHaveAttribute("aria-rowcount", all!);
  const found = Number(await table.getAttribute("aria-rowcount")) - 1;
  const cells = await table.getByRole("cell", { name: /^push/ }).allInnerTexts();
  expect(new Set(cells)).toEqual(new Set(["push left"]));

  await evaluation.getByRole("button", { name: "Export these" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^NDJSON/ }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
  expect(lines).toHaveLength(found);

  await page.reload();
  await evaluation.getByText("Steps", { exact: true }).click();
  await expect(table.getByRole("columnheader", { name: "pole angle [rad]" })).toBeVisible();
});

test("records are verified, and a bit that was flipped in them is found", async ({
  page,
  request,
}) => {
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

/** Changes one bit of the hash of the ninth frame, in the file of the service. */
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
