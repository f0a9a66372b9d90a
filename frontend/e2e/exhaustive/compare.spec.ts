import { expect, type Page, test } from "@playwright/test";
import { points } from "../run-page";
import { comparePage, seeded } from "../seeded";

const legend = (page: Page) => page.getByRole("table", { name: "Compared runs" });
const lines = (page: Page) => legend(page).getByRole("rowheader");

test("curves lie over each other, and each can be switched off", async ({ page }) => {
  const { good, slow, live } = seeded();
  await page.goto(comparePage(good, slow, live[0]!));
  const returns = page.getByRole("region", { name: "Episode return", exact: true });
  const entry = returns.getByRole("button", { name: /^PPO baseline/ });
  const inTable = legend(page).getByRole("button", { name: "Show PPO baseline" });
  await expect(entry).toHaveAttribute("aria-pressed", "true");
  await entry.click();
  await expect(entry).toHaveAttribute("aria-pressed", "false");
  await expect(inTable, "hidden on every chart").toHaveAttribute("aria-pressed", "false");
  await expect(page).toHaveURL(/hidden=/);
  await inTable.click();
  await expect(entry).toHaveAttribute("aria-pressed", "true");

  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(5);
  const held = await points(page, "Episode return");
  await expect.poll(() => points(page, "Episode return")).toBeGreaterThan(held);
  await expect(page.getByRole("region", { name: "In short" })).toContainText(
    "Live 1 has not ended yet",
  );
});

test("charts of the return show what random actions have, and others do not", async ({
  page,
  request,
}) => {
  const { good, slow } = seeded();
  const environments = (await (await request.get("/api/environments")).json()) as {
    id: string;
    random_return: { mean: number } | null;
  }[];
  const measured = environments.find(({ id }) => id === "CartPole-v1")!.random_return!.mean;
  await page.goto(comparePage(good, slow));
  const chart = (title: string) => page.getByRole("region", { name: title, exact: true });
  await expect(chart("Episode return")).toContainText(
    new RegExp(`Random\\s*${Math.floor(measured)}`),
  );
  await expect.poll(() => points(page, "Episode length")).toBeGreaterThan(5);
  await expect(chart("Episode length")).not.toContainText("Random");
});

test("a deleted run is restored from where it is missed", async ({ page, request }) => {
  const { good, bare } = seeded();
  await request.delete(`/api/runs/${bare}`);
  await page.goto(comparePage(good, bare));
  await page.getByRole("button", { name: "Restore from the trash" }).click();
  await expect(lines(page)).toHaveCount(2);
  await expect(page.getByRole("region", { name: "In short" })).toBeVisible();
});
