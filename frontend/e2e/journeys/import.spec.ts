import { expect, test } from "@playwright/test";

import { runPage, seeded } from "../seeded";

test("the policies of a bundle are used only after the trust dialog", async ({ page, request }) => {
  const { good } = seeded();
  const bundle = await (await request.get(`/api/runs/${good}/bundle`)).body();
  const imported = await request.post("/api/runs/import?file=run.zip&again=true", {
    data: bundle,
    headers: { "content-type": "application/octet-stream" },
  });
  const [run] = (await imported.json()).runs as { id: string }[];
  await page.goto(runPage(run!.id));
  const notice = page.getByText("This run was imported or copied here", { exact: true });
  await expect(notice).toBeVisible();
  expect((await request.post(`/api/runs/${run!.id}/evaluations`, { data: {} })).status()).toBe(409);

  await page.getByRole("button", { name: "Trust this run…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Its files can contain programs");
  await expect(dialog).toContainText("Imported from");
  await dialog.getByRole("button", { name: "Trust this run" }).click();
  await expect(dialog).toBeHidden();
  await expect(notice).toBeHidden();
  expect((await (await request.get(`/api/runs/${run!.id}`)).json()).standing).toBe("trusted");
  await request.delete(`/api/runs/${run!.id}`);
});
