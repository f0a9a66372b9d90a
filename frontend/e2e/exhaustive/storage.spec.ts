import { expect, test } from "@playwright/test";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";

test("a rule is added, deletes only what it says, appears in the log, and is removed", async ({
  page,
}) => {
  const service = await ownService({});
  try {
    const id = await finished(service.url);
    const log = `${service.url}/api/runs/${id}/artifacts/worker.log`;
    expect((await page.request.get(log)).status()).toBe(200);
    await page.goto(`${service.url}/storage`);
    const rules = page.getByRole("region", { name: "Rules", exact: true });
    await rules.getByRole("button", { name: "Add a rule…" }).click();
    await rules.getByLabel("Does").selectOption({ label: "Remove logs" });
    await rules.getByLabel("Days since the run ended").fill("0");
    await rules.getByRole("button", { name: "Add the rule" }).click();
    await expect(rules.getByRole("listitem")).toHaveText(/Remove the worker's log of each run/);

    const pass = page.getByRole("region", { name: "What the rules do" });
    await pass.getByRole("button", { name: "Apply now…" }).click();
    await page.getByRole("button", { name: "Apply them" }).click();
    await expect(pass.getByRole("status")).toHaveText(/^The rules took 1 action/, PATIENCE);
    const logged = page.getByRole("region", { name: "Log", exact: true }).getByRole("listitem");
    await expect(logged).toHaveCount(1, PATIENCE);
    await expect(logged).toContainText(id);
    await expect(logged).toContainText("delete ");
    expect((await page.request.get(log)).status()).toBe(404);
    expect((await page.request.get(`${service.url}/api/runs/${id}/metrics`)).ok()).toBe(true);

    await rules.getByRole("button", { name: "Remove rule 1" }).click();
    await expect(rules.getByText("There are no rules, so nothing is deleted.")).toBeVisible();
  } finally {
    await service.close();
  }
});

/** The id of a short run. */
async function finished(url: string): Promise<string> {
  const body = { algo: "q-learning", env_id: "FrozenLake-v1", total_timesteps: 2_000, start: true };
  const created = await fetch(`${url}/api/runs`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const { id } = (await created.json()) as { id: string };
  const status = async () =>
    ((await (await fetch(`${url}/api/runs/${id}`)).json()) as { status: string }).status;
  await expect.poll(status, PATIENCE).toBe("completed");
  return id;
}
