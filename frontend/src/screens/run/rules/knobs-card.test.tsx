import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { RunDetail, RunKnob } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { RunSeries } from "@/stream/series/run-series";
import { KnobsCard } from "./knobs-card";

const KNOBS = "GET /runs/a/knobs";
const CHANGE = "PATCH /runs/a/knobs";

function knob(change: Partial<RunKnob> = {}): RunKnob {
  return {
    ...{ name: "learning_rate", label: "learning rate", minimum: 0, maximum: 1 },
    ...{ excludes_minimum: true, metric: "train/learning_rate", configured: 0.0003 },
    ...{ is_scheduled: false, follows_schedule: false, changed: null, waiting: [] },
    ...change,
  };
}

const answer = (...knobs: RunKnob[]) => ({ run_id: "a", knobs });

function show(knobs: RunKnob[], routes = {}) {
  const asked = serve({ [KNOBS]: () => ({ body: answer(...knobs) }), ...routes });
  const run = { id: "a", status: "running" } as RunDetail;
  const view = renderWithQueries(<KnobsCard run={run} series={new RunSeries()} />);
  return { asked, view };
}

const type = async (text: string) =>
  userEvent.type(await screen.findByRole("textbox", { name: "Learning rate" }), text);
const press = () => userEvent.click(screen.getByRole("button", { name: "Change" }));

test("a value is set and shown as pending until a rollout starts", async () => {
  const { asked } = show([knob()], {
    [CHANGE]: (body: { changes: RunKnob["waiting"] }) => ({
      body: answer(knob({ waiting: body.changes })),
    }),
  });
  expect(await screen.findByText("0.0003")).toBeVisible();
  await type("1e-4");
  await press();
  expect(asked.find(({ route }) => route === CHANGE)?.body).toEqual({
    changes: [{ kind: "set_knob", knob: "learning_rate", value: 0.0001 }],
  });
  expect(await screen.findByRole("status")).toHaveTextContent(
    "0.0001 at the start of the next rollout.",
  );
  expect(screen.getByRole("textbox")).toHaveValue("");
});

test("a factor is sent as a factor", async () => {
  const { asked } = show([knob()], { [CHANGE]: () => ({ body: answer(knob()) }) });
  await userEvent.selectOptions(await screen.findByRole("combobox"), "Multiply by");
  await type("0.5");
  await press();
  expect(asked.find(({ route }) => route === CHANGE)?.body).toEqual({
    changes: [{ kind: "scale_knob", knob: "learning_rate", factor: 0.5 }],
  });
});

test("a value out of bounds is reported at its field and not sent", async () => {
  show([knob()]);
  await type("2");
  expect(screen.getByText("Must be above 0, at most 1")).toBeVisible();
  expect(screen.getByRole("textbox")).toBeInvalid();
  expect(screen.getByRole("button", { name: "Change" })).toHaveAttribute("aria-disabled");
});

test("a refusal is shown at its field", async () => {
  const errors = [{ pointer: "/changes/0/value", detail: "Too much for this run." }];
  show([knob()], {
    [CHANGE]: () => ({ status: 422, body: { title: "Invalid request", detail: "", errors } }),
  });
  await type("0.9");
  await press();
  expect(await screen.findByText("Too much for this run.")).toBeVisible();
  expect(screen.getByRole("textbox")).toBeInvalid();
});

test("the effect on a schedule is described for both options, if there is one", async () => {
  show([knob({ is_scheduled: true, follows_schedule: true })]);
  expect(await screen.findByText(/replaces the schedule/)).toBeVisible();
  await userEvent.selectOptions(screen.getByRole("combobox"), "Multiply by");
  expect(screen.getByText(/The schedule continues, multiplied/)).toBeVisible();
});

test("after a value was set the schedule is gone and its author is shown", async () => {
  const change = { kind: "set_knob" as const, knob: "learning_rate", value: 0.01 };
  const changed = { kind: "hyperparameter_changed" as const, name: "learning_rate", change };
  const how = { before: 0.0003, after: 0.01, by: "rule" as const, rule: 2 };
  show([knob({ is_scheduled: true, changed: { ...changed, ...how, replaced_schedule: true } })]);
  expect(await screen.findByText("0.01")).toBeVisible();
  expect(screen.getByText("Changed from 0.0003 to 0.01 by rule 2.")).toBeVisible();
  expect(screen.queryByText(/schedule/)).not.toBeInTheDocument();
});

test("changes inherited from the parent of a fork are marked", async () => {
  const change = { kind: "set_knob" as const, knob: "learning_rate", value: 0.01 };
  const changed = { kind: "hyperparameter_changed" as const, name: "learning_rate", change };
  show([knob({ changed: { ...changed, before: 0.0003, after: 0.01, by: "parent" } })]);
  expect(
    await screen.findByText("Changed from 0.0003 to 0.01 while its parent trained."),
  ).toBeVisible();
});

test("nothing is shown if nothing can be adjusted", async () => {
  const { asked, view } = show([]);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect(view.container).toBeEmptyDOMElement();
});
