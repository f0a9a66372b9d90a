import { readFile } from "node:fs/promises";
import { expect, type Page, test } from "@playwright/test";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";

const NAME = "Two presets on the ice";

test("an experiment goes from the form to its verdict, is stopped and resumed, and is deleted", async ({
  page,
}) => {
  const service = await ownService({});
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  try {
    await page.goto(`${service.url}/experiments`);
    await create(page);
    await expect(page.getByRole("heading", { name: NAME })).toBeVisible();

    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect(page.getByRole("status", { name: "Status: stopped" })).toBeVisible(PATIENCE);
    await page.reload();
    await page.getByRole("button", { name: "Resume" }).click();
    await expect(page.getByText("6 of 6 trials scored")).toBeVisible(TRAINED);
    await expect(page.getByRole("status", { name: "Status: completed" })).toBeVisible(PATIENCE);
    await expect(page.getByRole("region", { name: "Verdict" }).getByRole("heading")).toHaveText(
      /\w/,
    );

    const curves = page.getByRole("region", { name: "Learning curves" });
    await expect(curves.locator("canvas").first()).toBeVisible(PATIENCE);
    expect(errors).toEqual([]);

    const report = await page.getByRole("link", { name: "Report" }).getAttribute("href");
    expect(await (await page.request.get(service.url + report)).text()).toContain(NAME);
    expect(await downloadedSpecification(page)).toMatchObject({
      name: NAME,
      parallel: 1,
      score: { episodes: 3 },
    });

    const address = page.url();
    await page.locator("td[data-status=scored] a").first().click();
    await page.getByRole("link", { name: "an experiment", exact: true }).click();
    await expect(page).toHaveURL(address);

    await page.getByRole("button", { name: "Delete the experiment" }).click();
    const asks = page.getByRole("dialog", { name: `Delete “${NAME}”?` });
    await asks.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("No experiment yet")).toBeVisible(PATIENCE);
    const { total } = (await (await page.request.get(`${service.url}/api/runs`)).json()) as {
      total: number;
    };
    expect(total, "runs that stay").toBe(6);
  } finally {
    await service.close();
  }
});

/** Time for all trials to end. */
const TRAINED = { timeout: 400_000 };

/** Fills in the form: two presets with three seeds each, and one training run at a time. */
async function create(page: Page) {
  await page.getByRole("button", { name: "New experiment" }).click();
  const form = page.getByRole("dialog", { name: "New experiment" });
  await form.getByLabel("Environment").selectOption("FrozenLake-v1");
  for (const [line, preset] of ["fast", "stable"].entries()) {
    await form.getByLabel(`Algorithm ${line + 1}`).selectOption("q-learning");
    await form.getByLabel(`Preset ${line + 1}`).selectOption(preset);
  }
  await form.getByLabel("Seeds of each").selectOption("3");
  await form.getByLabel("Steps of each run").fill("5000");
  await form.getByLabel("Name", { exact: true }).fill(NAME);
  await form.getByText("Advanced", { exact: true }).click();
  await form.getByLabel("Episodes of a score").fill("3");
  await form.getByLabel("Evaluated every").fill("1000");
  await form.getByLabel("Parallel runs").fill("0");
  await expect(form.getByRole("button", { name: "Start", exact: true })).toBeDisabled();
  await form.getByLabel("Parallel runs").fill("1");
  await expect(form.getByRole("status")).toHaveText("6 runs, 30k steps in total");
  await form.getByRole("button", { name: "Start", exact: true }).click();
}

async function downloadedSpecification(page: Page): Promise<unknown> {
  const card = page.getByRole("region", { name: "Specification", exact: true });
  await card.getByText("Specification", { exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    card.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/\.yaml$/);
  return JSON.parse(await readFile(await file.path(), "utf8"));
}
