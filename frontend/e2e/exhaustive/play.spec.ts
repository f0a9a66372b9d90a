import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";

const fact = (page: Page, term: string) =>
  page.getByRole("main").locator("dl div", { hasText: term }).locator("dd");
const cap = (page: Page, name: RegExp) =>
  page.getByRole("group", { name: "Keys" }).getByRole("button", { name });

async function ready(page: Page, address: string) {
  await page.goto(address);
  await expect(cap(page, /./).first()).toBeVisible(PATIENCE);
}

test("another action is tried next to the episode, and played episodes are stored as a run", async ({
  page,
}) => {
  await ready(page, "/play?env=CartPole-v1");
  const step = page.getByRole("button", { name: "One step", exact: true });
  await expect(step).toBeEnabled();
  await page.getByText("Random", { exact: true }).click();
  await step.click();
  await page.getByRole("button", { name: "push left", exact: true }).first().click();
  await expect(page.getByRole("img", { name: "The other future" })).toBeVisible();
  await expect(page.getByText("Split after step")).toBeVisible();
  await page.getByRole("button", { name: "Close the other future" }).click();
  await expect(page.getByRole("img", { name: "The other future" })).toBeHidden();
  await page.getByText("You", { exact: true }).click();
  await page.locator("canvas").first().click();
  await page.keyboard.down("ArrowRight");
  const kept = page.getByRole("link", { name: /Kept as a run/ });
  await expect(kept).toBeVisible();
  await page.keyboard.up("ArrowRight");
  await kept.click();
  await expect(page.getByRole("heading", { name: "Human on CartPole" })).toBeVisible();
  await expect(page.getByText("Played by hand").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);

  const { searchParams } = new URL(page.url());
  await page.goto("/?q=Human+on+CartPole");
  await expect(page.locator(`a[href*="${searchParams.get("id")}"]`).first()).toBeVisible();
});

test("a step is undone, and the on-screen keys play @phone", async ({ page }) => {
  await ready(page, "/play?env=CliffWalking-v1");
  await expect(fact(page, "Step")).toHaveText("0");
  const onPhone = page.viewportSize()!.width < 768;
  await expect(page.getByText("Paused. Press a key below")).toBeVisible({ visible: onPhone });
  await cap(page, /^up/).click();
  await expect(fact(page, "Step")).toHaveText(/^[1-9]/);
  // Where a click lasts, the key is held: a second step may come after the first was seen.
  await expect(async () => {
    const here = Number(await fact(page, "Step").innerText());
    await page.getByRole("button", { name: "One step back" }).click();
    await expect(fact(page, "Step")).toHaveText(String(here - 1), { timeout: 10_000 });
  }).toPass();
});

test("an environment is played with the chosen options, which are in the address", async ({
  page,
}) => {
  await ready(page, "/play?env=FrozenLake-v1");
  await page.getByText("Options", { exact: true }).click();
  await page.getByRole("combobox", { name: "map_name" }).selectOption("8x8");
  const asked = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith("/api/sessions"),
  );
  await page.getByRole("button", { name: "Play with these" }).click();
  expect((await asked).postDataJSON()).toMatchObject({ env_options: { map_name: "8x8" } });
  await expect(page).toHaveURL(/env=FrozenLake-v1&option\.map_name=8x8$/);
  await ready(page, page.url());
  await expect(page.getByText("map_name 8x8")).toBeVisible();
});
