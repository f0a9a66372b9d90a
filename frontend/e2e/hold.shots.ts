import path from "node:path";
import { type APIRequestContext, expect, type Page, test } from "@playwright/test";
import { status } from "./run-page";
import { runPage } from "./seeded";

/**
 * Pictures of a run that is paused, resumed, rolled back and forked, and of rules that act on it. Only two of the looks
 * are taken, because each trains. `LOOKS=.` takes all four, and `SHOTS=hold-fork` some pictures.
 */
const FOLDER = path.join(import.meta.dirname, "..", "screenshots");
const LONG = { timeout: 120_000 };
const wanted = process.env.SHOTS ? new RegExp(process.env.SHOTS) : /./;
const looks = new RegExp(process.env.LOOKS ?? "^(desktop-light|phone-dark)$");

const QUICK = { n_envs: 4, n_steps: 128, batch_size: 128, n_epochs: 4, learning_rate: 0.001 };
const RULES = [
  {
    when: { kind: "metric", metric: "train/approx_kl", side: "above", value: 0.1, rows: 3 },
    do: [{ kind: "scale_knob", knob: "learning_rate", factor: 0.5 }],
    at_most: 10,
  },
  {
    when: { kind: "not_finite", metric: null },
    do: [
      { kind: "roll_back", to: "newest" },
      { kind: "scale_knob", knob: "learning_rate", factor: 0.5 },
    ],
    at_most: 3,
  },
  {
    when: { kind: "new_best", metric: "rollout/ep_rew_mean", better: "higher" },
    do: [{ kind: "snapshot", message: "" }],
    at_most: 10,
  },
];

/** A run created through the API, and the requests to it. */
class Held {
  private constructor(
    private readonly request: APIRequestContext,
    readonly id: string,
  ) {}

  static async train(request: APIRequestContext, settings: object) {
    const data = { algo: "ppo", env_id: "CartPole-v1", seed: 5, start: true, ...settings };
    const made = await request.post("/api/runs", { data });
    expect(made.status(), await made.text()).toBe(201);
    return new Held(request, ((await made.json()) as { id: string }).id);
  }

  async ask(action: string, data: object = {}): Promise<Record<string, unknown>> {
    const answer = await this.request.post(`/api/runs/${this.id}/${action}`, { data });
    expect(answer.ok(), await answer.text()).toBe(true);
    return answer.status() === 204 ? {} : ((await answer.json()) as Record<string, unknown>);
  }

  async fork(wish: object) {
    const { id } = await this.ask("fork", { start: true, ...wish });
    return new Held(this.request, String(id));
  }

  private async read() {
    const answer = await this.request.get(`/api/runs/${this.id}`);
    return (await answer.json()) as { step: number; status: string };
  }

  step = async () => (await this.read()).step;
  status = async () => (await this.read()).status;
  snapshots = async () => (await this.request.get(`/api/runs/${this.id}/snapshots`)).text();

  trained = (steps: number) => expect.poll(this.step, LONG).toBeGreaterThan(steps);
  becomes = (status: string) => expect.poll(this.status, LONG).toBe(status);

  async snapshot(name: string, message: string) {
    await this.ask("snapshots", { name, message });
    await expect.poll(this.snapshots, LONG).toContain(`"name":"${name}"`);
  }
}

test("a run is paused, resumed, rolled back and forked", async ({ page, request }, { project }) => {
  test.skip(!looks.test(project.name), "It trains: two looks are enough");
  const { viewport } = project.use;
  const shoot = (name: string, fullPage = true) => picture(page, project.name, name, fullPage);
  const open = async (id: string, tab?: string) => {
    await page.goto(`${runPage(id)}${tab ? `&details=${tab}` : ""}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible(LONG);
  };
  const tall = () => page.setViewportSize({ width: viewport!.width, height: 1_500 });
  const usual = () => page.setViewportSize(viewport!);

  const parent = await Held.train(request, {
    ...{ name: "Parent", total_timesteps: 2_000_000, hyperparameters: QUICK, rules: RULES },
    snapshots: { every_steps: 8_192, keep: 3 },
  });
  await parent.trained(9_000);
  await parent.snapshot("before-the-change", "The pole stands for the first time");
  await parent.trained(20_000);
  await open(parent.id, "rules");
  await page.getByRole("button", { name: "Add a rule" }).click();
  await shoot("hold-rule-templates", false);
  await page.getByRole("menuitem", { name: "A rule of your own" }).click();
  await page.getByRole("button", { name: "Try on the rows so far" }).click();
  await expect(page.getByRole("region", { name: "Dry run" })).toBeVisible(LONG);
  await shoot("hold-rules");

  await parent.ask("pause");
  await parent.becomes("paused");
  await open(parent.id);
  await expect(status(page, "paused")).toBeVisible();
  await shoot("hold-paused");
  await parent.ask("snapshots/before-the-change/verify");
  await open(parent.id, "snapshots");
  await expect(page.getByText(/^Verified/).first()).toBeVisible(LONG);
  await shoot("hold-snapshots");

  const row = page.getByRole("button", { name: "Actions on the snapshot “before-the-change”" });
  await row.click();
  await page.getByRole("menuitem", { name: "Fork here…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Fork at/ });
  await dialog.getByRole("textbox", { name: "learning_rate", exact: true }).fill("0.0005");
  await dialog.getByText("Cannot be changed").click();
  await tall();
  await shoot("hold-fork", false);
  await usual();

  const begin = { snapshot: "before-the-change", total_timesteps: 40_000 };
  const halved = await parent.fork({ ...begin, hyperparameters: { learning_rate: 0.0005 } });
  const wary = await parent.fork({ ...begin, name: "Wary", hyperparameters: { ent_coef: 0.02 } });
  await halved.becomes("completed");
  const far = { name: "Far-sighted", step: 32_000, total_timesteps: 48_000 };
  const grandchild = await halved.fork({ ...far, hyperparameters: { gamma: 0.999 } });
  for (const one of [wary, grandchild]) await one.becomes("completed");
  await open(grandchild.id);
  await shoot("hold-family");

  await parent.ask("resume");
  await parent.becomes("running");
  const from = await parent.step();
  await parent.trained(from + 12_000);
  await parent.ask("stop"); // mostly within a rollout, so that rows beyond the snapshot are computed again
  await parent.becomes("stopped");
  await expect(() => parent.ask("resume")).toPass(LONG); // its worker may be about to end
  await open(parent.id);
  await expect(page.getByText(/^Resumed from step/)).toBeVisible(LONG);
  await shoot("hold-resumed");

  await parent.ask("rollback", { snapshot: "before-the-change" });
  await expect(page.getByText(/^Rolled back to step/)).toBeVisible(LONG);
  await shoot("hold-went-back");
  await parent.ask("stop");
});

test("a pause that waits for the end of a long rollout", async ({ page, request }, { project }) => {
  test.skip(!looks.test(project.name) || !wanted.test("hold-saving"), "It trains");
  const slow = await Held.train(request, {
    ...{ name: "A long rollout", total_timesteps: 2_000_000 },
    hyperparameters: { n_envs: 1, n_steps: 65_536, batch_size: 4_096 },
  });
  await slow.becomes("running");
  await page.goto(runPage(slow.id));
  await page.getByRole("button", { name: "Pause", exact: true }).first().click();
  await expect(page.getByText(/^Saving at step/)).toBeVisible(LONG);
  await picture(page, project.name, "hold-saving");
  await slow.ask("stop");
});

test("notifications of a run", async ({ page, request }, { project }) => {
  test.skip(!looks.test(project.name), "It trains: two looks are enough");
  await toldOf(page);
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible(LONG);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.type("Settings");
  await page
    .getByRole("option", { name: /^Settings/ })
    .first()
    .click();
  await page.getByText("Notify me in this browser").click();
  await picture(page, project.name, "hold-settings");
  await page.keyboard.press("Escape");
  const run = await Held.train(request, {
    ...{ name: "Tells of itself", total_timesteps: 6_000, hyperparameters: QUICK },
    rules: [
      {
        when: { kind: "steps", steps: 2_000 },
        do: [{ kind: "notify", message: "Two thousand steps are done." }],
      },
    ],
  });
  const toasts = page.getByRole("region", { name: "Notifications" });
  await expect(toasts.getByText("Two thousand steps are done.")).toBeVisible(LONG);
  await run.becomes("completed");
  await picture(page, project.name, "hold-toasts");
});

async function picture(page: Page, look: string, name: string, fullPage = false) {
  if (!wanted.test(name)) return;
  await page.waitForTimeout(700);
  const file = path.join(FOLDER, name, `${look}.png`);
  await page.screenshot({ path: file, fullPage, animations: "disabled" });
}

/** A headless browser does not ask for permission. */
const toldOf = (page: Page) =>
  page.addInitScript(() => {
    class Shown {
      static permission = "granted";
      static requestPermission = () => Promise.resolve("granted");
      close = () => undefined;
    }
    Object.assign(window, { Notification: Shown });
  });
