import { type Page, test } from "@playwright/test";
import { live } from "./run-page";

/** The window in which an agent plays CartPole, with the number of drawn frames. */
export const stage = (page: Page) => live(page).getByRole("img", { name: /plays CartPole-v1$/ });
export const frames = async (page: Page) => Number(await stage(page).getAttribute("data-frames"));

/** A run that trains while the tests of the file use it. Returns a function that returns its id. */
export function watchedRun(): () => string {
  let run = "";
  test.beforeAll(async ({ request }) => {
    const answer = await request.post("/api/runs", {
      data: {
        ...{ algo: "ppo", env_id: "CartPole-v1", name: "Watched" },
        ...{ total_timesteps: 2_000_000, start: true },
      },
    });
    run = ((await answer.json()) as { id: string }).id;
  });
  test.afterAll(async ({ request }) => {
    await request.post(`/api/runs/${run}/stop`);
  });
  return () => run;
}
