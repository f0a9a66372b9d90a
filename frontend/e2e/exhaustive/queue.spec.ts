import { expect, type Page, test } from "@playwright/test";
import { broken } from "../accessible";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";

const queue = (page: Page) => page.getByRole("list", { name: "Queue" });
const names = (page: Page) => queue(page).getByRole("listitem").getByRole("link").allTextContents();
const item = (page: Page, name: string) =>
  queue(page).getByRole("listitem").filter({ hasText: name });

test("the queue is reordered by buttons, keys and drag, and its first run starts next", async ({
  page,
  request,
}) => {
  const service = await ownService({
    runs: { "*": { cues: [{ at_step: 4_096, do: "wait" }] } },
  });
  const api = `${service.url}/api/runs`;
  try {
    const ids = new Map<string, string>();
    for (const name of ["First trains", "Second trains", "Red", "Green", "Blue"]) {
      const body = { algo: "ppo", env_id: "CartPole-v1", preset: "fast", name, start: true };
      const answer = await request.post(api, { data: body });
      expect(answer.ok(), await answer.text()).toBe(true);
      ids.set(name, ((await answer.json()) as { id: string }).id);
    }
    await page.goto(service.url);
    await page.getByRole("button", { name: "3 runs wait in the queue" }).click();
    await expect.poll(() => names(page)).toEqual(["Red", "Green", "Blue"]);
    expect(await broken(page)).toEqual([]);

    await page.getByRole("button", { name: "Start Blue first" }).click();
    await expect.poll(() => names(page)).toEqual(["Blue", "Red", "Green"]);
    await expect(page.getByText("Blue is number 1 in the queue.")).toBeAttached();

    await page.getByRole("button", { name: "Place of Green: 3 of 3" }).press("ArrowUp");
    await expect.poll(() => names(page)).toEqual(["Blue", "Green", "Red"]);
    await expect(page.getByText("Green is number 2 in the queue.")).toBeAttached();

    await item(page, "Blue").dragTo(item(page, "Red"));
    await expect.poll(() => names(page)).toEqual(["Green", "Red", "Blue"]);
    await expect(page.getByText("Blue is number 3 in the queue.")).toBeAttached();

    await page.reload();
    await page.getByRole("button", { name: "3 runs wait in the queue" }).click();
    await expect.poll(() => names(page)).toEqual(["Green", "Red", "Blue"]);

    await request.post(`${api}/${ids.get("First trains")}/stop`);
    await expect.poll(() => names(page), PATIENCE).toEqual(["Red", "Blue"]);
    const next = await request.get(`${api}/${ids.get("Green")}`);
    expect(((await next.json()) as { status: string }).status).toMatch(/starting|running/);
  } finally {
    await service.close();
  }
});
