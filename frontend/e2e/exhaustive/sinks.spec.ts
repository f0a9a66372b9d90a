import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { tab } from "../run-page";
import { runPage, seeded } from "../seeded";
import { openMore } from "../new-run";

test("a run is exported from its menu and its page shows the progress @phone", async ({
  page,
  request,
}) => {
  const { good } = seeded();
  await page.goto(runPage(good));
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Export to tracker…" }).click();
  const dialog = page.getByRole("dialog", { name: "Export to tracker" });
  const sink = dialog.getByRole("listitem", { name: "TensorBoard" });
  await expect(sink).toBeVisible();
  const deliver = sink.getByRole("button", { name: /TensorBoard/ });
  if (await deliver.isVisible()) await deliver.click();
  await expect(sink.getByText("Delivered")).toBeVisible(PATIENCE);
  await expect(sink.getByText(/rows, up to step/)).toBeVisible();
  await page.keyboard.press("Escape");
  await tab(page, "Data").click();
  await page.getByRole("tab", { name: "Integrations" }).click();
  const panel = page
    .getByRole("region", { name: "Data" })
    .getByRole("listitem", { name: "TensorBoard" });
  await panel.getByText("Keep up to date").click();
  await expect(panel.getByRole("switch")).toBeChecked();
  const live = async () => {
    const answer = await request.get(`/api/runs/${good}/sinks`);
    const { sinks } = (await answer.json()) as { sinks: { kind: string; live: boolean }[] };
    return sinks.filter((one) => one.live).map(({ kind }) => kind);
  };
  await expect.poll(live).toEqual(["tensorboard"]);
  await request.delete(`/api/runs/${good}/sinks/tensorboard`);
});

test("selected runs are downloaded together @phone", async ({ page }) => {
  await page.goto("/?q=baseline");
  for (const name of ["PPO baseline", "DQN baseline"]) {
    await page
      .locator("[role=row][data-index]", { hasText: name })
      .locator("[data-act=select]")
      .click();
  }
  await page
    .getByRole("region", { name: "Selected runs" })
    .getByRole("button", { name: /^Export/ })
    .click();
  const begun = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Metrics as CSV" }).click();
  const download = await begun;
  expect(download.suggestedFilename()).toBe("runs-csv.zip");
  expect(await download.failure()).toBeNull();
});

test("a new run gets the sinks selected in the form", async ({ page, request }) => {
  await page.goto("/?new");
  const form = await openMore(page);
  await form.getByText("Sinks", { exact: true }).click();
  await form.getByRole("checkbox", { name: "TensorBoard" }).check();
  const created = page.waitForResponse(
    (response) => response.url().endsWith("/api/runs") && response.request().method() === "POST",
  );
  await form.getByRole("button", { name: "Create only" }).click();
  const { id } = (await (await created).json()) as { id: string };
  const { sinks } = (await (await request.get(`/api/runs/${id}/sinks`)).json()) as {
    sinks: { kind: string; live: boolean }[];
  };
  expect(sinks).toMatchObject([{ kind: "tensorboard", live: true }]);
  await request.delete(`/api/runs/${id}`);
});
