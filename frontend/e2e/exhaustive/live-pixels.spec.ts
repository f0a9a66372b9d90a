import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { live } from "../run-page";

test.use({ contextOptions: { reducedMotion: "no-preference" } }); // otherwise it plays on request only

test("saliency is drawn over the pictures that an agent sees", async ({ page, request }) => {
  const data = {
    ...{ algo: "ppo", env_id: "ALE/Pong-v5", name: "Seen", start: true },
    // As little as possible before there is a policy: what trains gets hardly any time on a busy machine.
    hyperparameters: { n_envs: 1, n_steps: 8, batch_size: 8, n_epochs: 1 },
  };
  const made = await request.post("/api/runs", { data });
  const { id } = (await made.json()) as { id: string };
  try {
    await page.goto(`/runs/view?id=${id}`);
    const mattered = live(page).getByRole("switch", { name: "Saliency" });
    await mattered.press("Space", PATIENCE); // while pictures come, what is above it still grows
    await expect(mattered).toBeChecked();
    const seen = live(page).getByRole("img", { name: /how much each pixel mattered for/ });
    await expect(seen).toBeVisible(PATIENCE);
    await mattered.press("Space");
    await expect(seen).toHaveCount(0, PATIENCE);
  } finally {
    await request.post(`/api/runs/${id}/stop`);
  }
});
