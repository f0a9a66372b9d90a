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

test("a key acts only while the stage has the focus, and lights up while it is pressed", async ({
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

test("the controls are handed to the policy and taken back mid-episode", async ({
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
