import { expect, test } from "@playwright/test";

import { runPage, seeded } from "../seeded";

test("a trained run without stored policies says so @phone", async ({ page, request }) => {
  const { acrobot, good, slow, stopped, interrupted } = seeded();
  const kept = async (id: string) => {
    const answer = await request.get(`/api/runs/${id}/policies`);
    return ((await answer.json()) as { policies: unknown[] }).policies.length;
  };
  for (const id of [acrobot, good, slow, stopped, interrupted]) {
    if ((await kept(id)) > 0) continue;
    await page.goto(runPage(id));
    await expect(page.getByText(/no policy of this run was kept/)).toBeVisible();
    return;
  }
  throw new Error("Every seeded run keeps a policy");
});
