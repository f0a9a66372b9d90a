import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { runPage } from "../seeded";
import { trained } from "../trained";

test("steps are found by a typed condition, with chosen columns, and exported", async ({
  page,
  request,
}) => {
  const id = await trained(request);
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
