import { type APIRequestContext, expect, test } from "@playwright/test";

/** Creates a run in the trash for one test. */
async function deletedRun(request: APIRequestContext, name: string) {
  const created = await request.post("/api/runs", { data: { algo: "ppo", name } });
  const { id } = (await created.json()) as { id: string };
  expect((await request.delete(`/api/runs/${id}`)).status()).toBe(204);
  return id;
}

test("runs are removed permanently only after a confirmation", async ({ page, request }) => {
  const name = "Doomed";
  const id = await deletedRun(request, name);
  await page.goto("/explain");
  await expect(page.locator("[data-connection=live]")).toBeAttached();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(page).toHaveURL("/trash");
  const row = page.getByRole("listitem").filter({ hasText: name });
  await row.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Remove for good…" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(row).toBeVisible();
  await page.getByRole("button", { name: "Remove for good…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove for good" }).click();
  await expect(row).toHaveCount(0);
  expect((await request.post(`/api/runs/${id}/restore`)).status()).toBe(404);
});

test("the trash can be emptied, and then explains what will appear here @phone", async ({
  page,
  request,
}) => {
  await deletedRun(request, "One of all");
  await page.goto("/trash");
  await page.getByRole("button", { name: "Empty the trash…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Empty the trash" }).click();
  await expect(page.getByText("The trash is empty")).toBeVisible();
});
