import { type APIRequestContext, expect, test } from "@playwright/test";

/** Creates a run in the trash for one test. */
async function deletedRun(request: APIRequestContext, name: string) {
  const created = await request.post("/api/runs", { data: { algo: "ppo", name } });
  const { id } = (await created.json()) as { id: string };
  expect((await request.delete(`/api/runs/${id}`)).status()).toBe(204);
  return id;
}

test("a deleted run is restored from the trash @phone", async ({ page, request }, { project }) => {
  const name = `Restored on ${project.name}`;
  const id = await deletedRun(request, name);
  await page.goto("/trash");
  const row = page.getByRole("listitem").filter({ hasText: name });
  await expect(row).toContainText("PPO · CartPole-v1");
  await expect(row).toContainText(/in [67] days/);
  await row.getByRole("button", { name: `Restore ${name}` }).click();
  await expect(row).toHaveCount(0);
  expect((await request.get(`/api/runs/${id}`)).status()).toBe(200);
  await request.delete(`/api/runs/${id}`);
});
