import { type APIRequestContext, expect } from "@playwright/test";
import { PATIENCE } from "./patience";

/** The id of a short run of PPO on CartPole; `change` is made to the request. */
export async function trained(
  request: APIRequestContext,
  change: Record<string, unknown> = {},
): Promise<string> {
  const usual = { algo: "ppo", total_timesteps: 6_000, seed: 7, name: "Filmed", start: true };
  const wanted = { ...usual, ...change };
  const created = await request.post("/api/runs", { data: wanted });
  expect(created.status()).toBe(201);
  const { id } = (await created.json()) as { id: string };
  const status = async () =>
    ((await (await request.get(`/api/runs/${id}`)).json()) as { status: string }).status;
  await expect.poll(status, PATIENCE).toBe("completed");
  return id;
}
