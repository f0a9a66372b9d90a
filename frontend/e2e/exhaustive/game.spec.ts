import { expect, test } from "@playwright/test";
import { PATIENCE } from "../patience";
import { status } from "../run-page";

/** Everything that a newcomer does: choose the game and press Start. */
test("a newcomer starts the game, whose preset explores, and watches the map fill", async ({
  page,
  request,
}) => {
  await page.goto("/?new");
  const form = page.getByRole("form", { name: "New run" });
  await form.getByRole("button", { name: /^Environment:/ }).click();
  await page.getByRole("option", { name: /Lamplighter/ }).click();
  await form.getByRole("button", { name: "Start training" }).click();
  await expect(status(page, "running")).toBeVisible(PATIENCE);

  const id = new URL(page.url()).searchParams.get("id");
  const { config } = (await (await request.get(`/api/runs/${id}`)).json()) as {
    config: { exploration: object };
  };
  expect(config.exploration).toMatchObject({ coverage: 0.3, archive: 0.5 });

  await page.getByRole("tab", { name: "Inside" }).click();
  const map = page.getByRole("application", { name: /^Map/ });
  await expect(map).toBeVisible(PATIENCE);
  const seen = async () => {
    const found = (await (await request.get(`/api/runs/${id}/map`)).json()) as { cells: object[] };
    return found.cells.length;
  };
  await expect.poll(seen, PATIENCE).toBeGreaterThan(20);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(status(page, "stopped")).toBeVisible(PATIENCE);
});
