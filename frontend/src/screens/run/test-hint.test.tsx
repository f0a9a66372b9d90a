import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Hint, HintOutcome, HintTestPlan, RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { HintTests } from "@/screens/shared/hint-tests";
import { run } from "./snapshots/fixtures";
import { TestHint } from "./test-hint";

const hint = { id: "kl-spikes", title: "Single updates move the policy too far" } as Hint;
const rate = { name: "learning_rate", value: 0.0005 };
const epochs = { name: "n_epochs", value: 5 };
const plan = {
  ...{ run_id: "a", hint: "kl-spikes", title: hint.title, change: rate, before: 0.001 },
  ...{ changes: [rate, epochs], runs: 6, seeds: [5, 6, 7], why_new: null, steps: 16_384 },
  fork: { run_id: "a", snapshot: "8192", step: 8_192 },
  ...{ total_timesteps: 98_304, episodes: 20, length_note: null, notes: ["No rules apply."] },
  ...{ core_seconds: 130, seconds: 65, parallel: 2, busy: 3, running: null },
} as unknown as HintTestPlan;

function show(changes: Partial<HintTestPlan> = {}) {
  const asked = serve({
    "GET /runs/a/hints/kl-spikes/test": (_body, query) => ({
      body: {
        ...{ ...plan, ...changes },
        change: query.get("change") === "n_epochs" ? epochs : rate,
      },
    }),
    "POST /runs/a/hints/kl-spikes/test": () => ({ status: 201, body: { id: "exp" } }),
  });
  const close = vi.fn();
  renderWithQueries(<TestHint run={run({} as Partial<RunDetail>)} hint={hint} onClose={close} />);
  return { asked, close };
}

test("shows what will run and for how long, and starts the chosen change", async () => {
  const { asked, close } = show();
  const start = await screen.findByRole("button", { name: "Start 6 runs" });
  expect(screen.getByText("6: seeds 5, 6, 7, each without and with the change")).toBeVisible();
  expect(screen.getByText("Forks of this run at the snapshot of step 8,192")).toBeVisible();
  expect(screen.getByText("About 1m 05s, 2 runs at a time, at the measured speed")).toBeVisible();
  expect(screen.getByText(/3 other runs train or wait now/)).toBeVisible();
  expect(screen.getByText("No rules apply.")).toBeVisible();
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Change" }), "n_epochs");
  await vi.waitFor(() => expect(start).toBeEnabled());
  await userEvent.click(start);
  await vi.waitFor(() => expect(close).toHaveBeenCalled());
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
    change: "n_epochs",
  });
});

test("a change under test is linked and cannot be started", async () => {
  show({ running: "exp-1" });
  const link = await screen.findByRole("link", { name: "Open the test" });
  expect(link).toHaveAttribute("href", "/experiments/view?id=exp-1");
  expect(screen.getByRole("button", { name: "Start 6 runs" })).toBeDisabled();
});

test("an unknown speed is reported", async () => {
  show({ seconds: null, core_seconds: null });
  expect(await screen.findByText(/^Unknown, since no run of this kind/)).toBeVisible();
});

test("a hint shows its record and each of its tests", () => {
  const outcome = {
    ...{ experiment_id: "exp-1", state: "complete", effect: "higher", made: "Mean." },
    sentence: "With learning_rate 0.0005, the mean return was higher.",
  } as HintOutcome;
  const tested = { ...hint, record: "Tested once.", tests: [outcome] } as Hint;
  renderWithQueries(<HintTests hint={tested} />);
  expect(screen.getByText("Tested once.")).toBeVisible();
  expect(screen.getByRole("list", { name: `Tests of “${hint.title}”` })).toHaveTextContent(
    "With learning_rate 0.0005, the mean return was higher. Open the test",
  );
});
