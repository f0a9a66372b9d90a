import { expect, type Page, test } from "@playwright/test";
import { PATIENCE } from "../patience";

const stage = (page: Page) => page.getByRole("application");
const cap = (page: Page, name: RegExp) =>
  page.getByRole("group", { name: "Keys" }).getByRole("button", { name });
const fact = (page: Page, term: string) =>
  page.getByRole("main").locator("dl div", { hasText: term }).locator("dd");

async function ready(page: Page, address: string) {
  await page.goto(address);
  await expect(cap(page, /./).first()).toBeVisible(PATIENCE);
}

test("a key acts only while the stage has the focus, and lights up while it is held", async ({
  page,
}) => {
  // However long a busy machine holds the key: down at the start leads nowhere, so the episode does not end.
  await ready(page, "/play?env=CliffWalking-v1");
  await page.keyboard.press("ArrowDown");
  await expect(fact(page, "Step")).toHaveText("0", PATIENCE);
  await stage(page).click();
  await page.keyboard.down("ArrowDown");
  await expect(cap(page, /^down/)).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.up("ArrowDown");
  await expect(fact(page, "Step")).toHaveText(/^[1-9]/);

  await page.keyboard.press("Escape");
  await expect(page.getByText("Paused. Click here")).toBeVisible();
  await expect(stage(page)).not.toBeFocused();
});

test("a step is taken back, and the keys on the screen play @phone", async ({ page }) => {
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

test("the controls are handed to the policy and taken back in mid-episode", async ({
  page,
  request,
}) => {
  const made = await request.post("/api/runs", {
    data: { algo: "q-learning", env_id: "FrozenLake-v1", total_timesteps: 1000, start: true },
  });
  const { id } = (await made.json()) as { id: string };
  await expect
    .poll(
      async () =>
        ((await (await request.get(`/api/runs/${id}`)).json()) as { status: string }).status,
      PATIENCE,
    )
    .toBe("completed");

  await ready(page, `/play?run=${id}`);
  await page.getByRole("radio", { name: "Policy" }).click({ force: true });
  await expect(page.getByText(/The policy of step [\d,]+ plays/)).toBeVisible();
  await expect(fact(page, "Step")).toHaveText(/^[1-9]/);
  await page.getByRole("radio", { name: "You" }).click({ force: true });
  await expect(page.getByText(/^You play/)).toBeVisible();
  await expect(stage(page)).toBeFocused();
});

test("an environment is played with the options that are chosen, which stand in the address", async ({
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
