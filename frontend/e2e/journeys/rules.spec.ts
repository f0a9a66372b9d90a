import { expect, type Locator, type Page, test } from "@playwright/test";
import { ownService } from "../own-service";
import { PATIENCE } from "../patience";
import { points } from "../run-page";
import { openMore } from "../new-run";

/** `RLVIZ_E2E_PICTURES` is a folder for pictures of each step to review. */
const pictures = process.env.RLVIZ_E2E_PICTURES;
const SIZES = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
];

/** Takes a picture in both themes and at both widths, with `of`, if given, in the middle of the screen. */
async function look(page: Page, name: string, of?: Locator) {
  if (!pictures) return;
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await of?.evaluate((element) => element.scrollIntoView({ block: "center" }));
      await page.screenshot({ path: `${pictures}/rules-${name}-${size.width}-${colorScheme}.png` });
    }
  }
}

/** The system notifications, which a headless browser cannot show. */
async function listenToNotifications(page: Page) {
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Shown {
      static permission = "granted";
      static requestPermission = () => Promise.resolve("granted");
      close = () => undefined;
      constructor(title: string) {
        shown.push(title);
      }
    }
    Object.assign(window, { Notification: Shown, shown });
  });
  return () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
}

test("rules act, a hyperparameter is changed, training rolls back, and the user is notified", async ({
  page,
}) => {
  const notified = await listenToNotifications(page);
  const service = await ownService({ speed: 2 });
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const addRule = async (title: string) => {
    await press("Add a rule");
    await page.getByRole("menuitem", { name: title }).click();
  };
  try {
    await page.goto(`${service.url}/?new`);
    const form = await openMore(page);
    await form.getByLabel("Timesteps").fill("3000000");
    await form.getByLabel("Seed", { exact: true }).fill("1");
    await form.getByLabel("Name").fill("Ruled");
    // Otherwise the best policy that an evaluation finds is kept by a snapshot of the same step.
    await form
      .getByLabel("Evaluate while training, and keep the best policy")
      .uncheck({ force: true });
    await form.getByText("Snapshots", { exact: true }).click();
    await form.getByLabel("Steps between").fill("4096");
    await form.getByLabel("Keep the newest").fill("4");
    await form.getByText("Rules", { exact: true }).click();
    await addRule("Snapshot at each new best");
    await look(page, "form", form.getByRole("listitem", { name: "Rule 1" }));
    await form.getByRole("button", { name: "Start training" }).click();
    await expect.poll(() => points(page, "Episode return"), PATIENCE).toBeGreaterThan(20);
    const run = new URL(page.url()).searchParams.get("id")!;

    await page.keyboard.press("Control+k");
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.type("Settings");
    await page
      .getByRole("option", { name: /^Settings/ })
      .first()
      .click();
    await page.getByText("Notify me in this browser").click();
    await look(page, "settings");
    await page.keyboard.press("Escape");

    await page.goto(`${service.url}/runs/view?id=${run}&details=rules`);
    await addRule("A rule of your own");
    const rule = page.getByRole("listitem", { name: "Rule 2" });
    await rule.getByRole("combobox", { name: "Metric" }).selectOption("episode/reward");
    await rule.getByRole("textbox", { name: "Value" }).fill("8");
    await rule.getByRole("textbox", { name: "Times in a row" }).fill("1");
    await rule.getByRole("textbox", { name: "Message" }).fill("It stands.");
    await press("Try on the rows so far");
    const dryRun = page.getByRole("region", { name: "Dry run" });
    await expect(dryRun.getByText(/^Would have fired [\d,]+ times? in this run/)).toBeVisible();
    await look(page, "dry-run", rule);
    await page.evaluate(() =>
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true }),
    );
    await press("Save");
    const toasts = page.getByRole("region", { name: "Notifications" });
    await expect(toasts.getByText("It stands.").first()).toBeVisible(PATIENCE);
    await look(page, "toast");
    expect(await notified()).toContainEqual(expect.stringMatching(/^Rule 2 of/));
    await page.evaluate(() => Reflect.deleteProperty(document, "visibilityState"));

    const snapshots = `${service.url}/api/runs/${run}/snapshots`;
    const taken = async () => JSON.stringify(await (await page.request.get(snapshots)).json());
    await expect.poll(taken, PATIENCE).toContain('"trigger":"rule"');
    await page.request.post(snapshots, { data: { name: "before" } });
    await expect.poll(taken, PATIENCE).toContain('"name":"before"');

    const rate = page.locator("form").filter({ hasText: "Learning rate" });
    await rate.getByLabel("How to change the learning rate").selectOption("Multiply by");
    await rate.getByRole("textbox").fill("0.5");
    await rate.getByRole("button", { name: "Change" }).click();
    await expect(rate.getByText(/^Changed from .* by you\.$/)).toBeVisible(PATIENCE);
    await look(page, "knobs", rate);

    await page.goto(`${service.url}/runs/view?id=${run}&details=snapshots`);
    await press("Actions on the snapshot “before”");
    await page.getByRole("menuitem", { name: "Roll back to here…" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back to “before”" });
    await look(page, "roll-back");
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await expect(page.getByText(/^Rolled back to step [\d,]+/)).toBeVisible(PATIENCE);
    const changed = page.getByText(/^Changed from .* by you\.$/); // which came after
    await expect(changed).toHaveCount(0, PATIENCE);
    await look(page, "went-back");
    await look(page, "snapshots", page.getByRole("list", { name: "Snapshots" }));
  } finally {
    await service.close();
  }
});
