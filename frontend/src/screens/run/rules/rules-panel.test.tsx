import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Rule, RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { RulesPanel, unsaved } from "./rules-panel";

beforeEach(() => unsaved.set({}));

const RULES = "GET /runs/a/rules";
const SAVE = "PUT /runs/a/rules";
const TRY = "POST /runs/a/rules/dry-run";

const highKl: Rule = {
  when: { kind: "metric", metric: "train/approx_kl", side: "above", value: 0.1, rows: 3 },
  do: [{ kind: "scale_knob", knob: "learning_rate", factor: 0.5 }],
  at_most: 10,
};
const tooLong: Rule = {
  when: { kind: "seconds", seconds: 1200 },
  do: [{ kind: "stop", then: "report", grace_seconds: 0 }],
  at_most: 1,
};

const answer = (rules: Rule[]) => ({ run_id: "a", rules, words: [] });
const metric = (name: string, label: string, group: string) => ({ name, label, group, help: "" });
const METRICS = {
  groups: [
    { id: "return", title: "Return" },
    { id: "policy", title: "Policy updates" },
  ],
  metrics: [
    metric("rollout/ep_rew_mean", "Mean return", "return"),
    metric("train/approx_kl", "Approximate KL", "policy"),
    metric("train/actor_loss", "Actor loss", "policy"),
  ],
};

function show(rules: Rule[], { routes = {}, change = {}, knobs = ["learning_rate"] } = {}) {
  const asked = serve({
    [RULES]: () => ({ body: answer(rules) }),
    [SAVE]: (body) => ({ body: answer((body as { rules: Rule[] }).rules) }),
    "GET /runs/a/knobs": () => ({
      body: { knobs: knobs.map((name) => ({ name, label: name.replace("_", " ") })) },
    }),
    "GET /metric-definitions": () => ({ body: METRICS }),
    "GET /algorithms": () => ({
      body: [{ id: "ppo", metrics: ["rollout/ep_rew_mean", "train/approx_kl"] }],
    }),
    ...routes,
  });
  const run = { id: "a", algo: "ppo", status: "running", step: 4096, reward_threshold: 475 };
  const view = renderWithQueries(
    <RulesPanel run={{ ...run, config: null, ...change } as unknown as RunDetail} />,
  );
  const sent = (route: string) => asked.findLast((one) => one.route === route)?.body;
  return Object.assign(sent, view);
}

const rule = async (number: number) =>
  within(await screen.findByRole("listitem", { name: `Rule ${number}` }));
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
const add = async (template: string) => {
  await userEvent.click(await screen.findByRole("button", { name: "Add a rule" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: template }));
};

test("a rule is a sentence with the registry names of the metrics that the run logs", async () => {
  show([highKl]);
  const { getByRole, getByText } = await rule(1);
  expect(getByRole("combobox", { name: "Metric" })).toHaveDisplayValue("Approximate KL");
  expect(getByRole("combobox", { name: "Side" })).toHaveDisplayValue("above");
  expect(getByRole("textbox", { name: "Value" })).toHaveValue("0.1");
  expect(getByText("updates")).toBeVisible();
  expect(getByRole("combobox", { name: "Action 1" })).toHaveDisplayValue("halve");
  expect(screen.queryByRole("option", { name: "Actor loss" })).not.toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Save" })).not.toBeInTheDocument();
});

test("exactly the changes in the sentence are saved", async () => {
  const sent = show([highKl, tooLong]);
  const { getByRole } = await rule(1);
  await userEvent.clear(getByRole("textbox", { name: "Value" }));
  await userEvent.type(getByRole("textbox", { name: "Value" }), "0.05");
  await userEvent.selectOptions(getByRole("combobox", { name: "Action 1" }), "double");
  await press("Save");
  expect(await screen.findByRole("status")).toHaveTextContent("from its next row on");
  expect(sent(SAVE)).toEqual({
    rules: [
      {
        ...highKl,
        when: { ...highKl.when, value: 0.05 },
        do: [{ kind: "scale_knob", knob: "learning_rate", factor: 2 }],
      },
      tooLong,
    ],
  });
});

test("rules can be moved, removed and given further actions", async () => {
  const sent = show([highKl, tooLong]);
  await rule(1);
  await press("Move rule 2 up");
  await userEvent.click((await rule(1)).getByRole("button", { name: "Another action" }));
  const second = (await rule(1)).getByRole("combobox", { name: "Action 2" });
  await userEvent.selectOptions(second, "take a snapshot");
  await press("Remove rule 2");
  await press("Save");
  await screen.findByRole("status");
  expect(sent(SAVE)).toEqual({
    rules: [{ ...tooLong, do: [...tooLong.do, { kind: "snapshot", message: "" }] }],
  });
});

test("templates are complete rules with the threshold of the run", async () => {
  const sent = show([]);
  await add("Stop when solved for 5 rows in a row");
  await add("Stop at 20 minutes");
  await add("Halve the learning rate when the KL is too high");
  expect((await rule(2)).getByRole("textbox", { name: "Minutes" })).toHaveValue("20");
  await press("Save");
  await screen.findByRole("status");
  const { rules } = sent(SAVE) as { rules: Rule[] };
  expect(rules[0]?.when).toMatchObject({ metric: "rollout/ep_rew_mean", value: 475 });
  expect(rules.slice(1)).toEqual([tooLong, highKl]);
});

test("unavailable actions are not offered", async () => {
  show([], { knobs: [], change: { reward_threshold: null } });
  await userEvent.click(await screen.findByRole("button", { name: "Add a rule" }));
  const templates = screen.getAllByRole("menuitem").map(({ textContent }) => textContent);
  expect(templates).toEqual([
    "Snapshot at each new best",
    "Stop at 20 minutes",
    "Roll back when a metric is not a number",
    "Roll back when training raises an error",
    "Pause when a metric is not a number",
    "A rule of your own",
  ]);
  await userEvent.click(screen.getByRole("menuitem", { name: "Stop at 20 minutes" }));
  const action = (await rule(1)).getByRole("combobox", { name: "Action 1" });
  const actions = within(action).getAllByRole("option");
  expect(actions.map(({ textContent }) => textContent)).toEqual([
    ...["stop", "pause", "roll back", "take a snapshot", "leave the message"],
  ]);
});

test("an invalid number is reported in its rule, which cannot be saved", async () => {
  show([tooLong]);
  const minutes = (await rule(1)).getByRole("textbox", { name: "Minutes" });
  await userEvent.type(minutes, "x");
  expect((await rule(1)).getByRole("alert")).toHaveTextContent("Minutes: enter a number");
  expect(minutes).toBeInvalid();
  expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled");
});

test.each(["/rules/1/when/metric/value", "/rules/1/when/value"])(
  "a refusal at %s is shown in its rule, at its field",
  async (pointer) => {
    const errors = [{ pointer, detail: "Too small." }];
    const refuse = () => ({ status: 422, body: { title: "Invalid request", detail: "", errors } });
    show([tooLong], { routes: { [SAVE]: refuse } });
    await add("Halve the learning rate when the KL is too high");
    await press("Save");
    expect(await (await rule(2)).findByRole("alert")).toHaveTextContent("Too small.");
    expect((await rule(2)).getByRole("textbox", { name: "Value" })).toBeInvalid();
    expect((await rule(1)).queryByRole("alert")).not.toBeInTheDocument();
  },
);

test("a dry run lists firings by step and is cleared when a rule changes", async () => {
  const firing = { rule: 1, count: 1, says: "When A: b", done: ["b"], not_done: [] };
  const found = {
    firings: [
      { ...firing, step: 20_480 },
      { ...firing, step: 40_960, count: 2, done: [], not_done: ["Rule 2 came first."] },
    ],
    ...{ total: 2, unknown: [] },
  };
  const sent = show([highKl], { routes: { [TRY]: () => ({ body: found }) } });
  await rule(1);
  await press("Try on the rows so far");
  const shown = await screen.findByRole("region", { name: "Dry run" });
  const rows = within(shown).getAllByRole("listitem");
  expect(rows[0]).toHaveTextContent("20,480Rule 1: When A: b.");
  expect(rows[1]).toHaveTextContent("Rule 2 came first.");
  expect(sent(TRY)).toEqual({ rules: [highKl] });
  expect(sent(SAVE)).toBeUndefined();
  await press("Remove rule 1");
  expect(screen.queryByRole("region", { name: "Dry run" })).not.toBeInTheDocument();
});

test("a dry run says which rules cannot be tried", async () => {
  const disk: Rule = { ...tooLong, when: { kind: "disk", bytes: 1e9 } };
  show([highKl, disk], {
    routes: { [TRY]: () => ({ body: { firings: [], total: 0, unknown: [2] } }) },
  });
  await rule(1);
  await press("Try on the rows so far");
  const said = await screen.findByRole("status");
  expect(said).toHaveTextContent("None of the other rules would have fired in this run.");
  expect(said).toHaveTextContent("Rule 2 cannot be tried");
});

test("a run without rows has no dry run", async () => {
  show([highKl], { change: { step: 0 } });
  await rule(1);
  expect(screen.queryByRole("button", { name: /Try/ })).not.toBeInTheDocument();
});

test("share, time and size round-trip", async () => {
  const rules: Rule[] = [
    { ...tooLong, when: { kind: "fall", metric: "train/approx_kl", share: 0.29 } },
    { ...tooLong, when: { kind: "disk", bytes: 2_500_000_000 } },
  ];
  const sent = show(rules);
  expect((await rule(1)).getByRole("textbox", { name: "Percent" })).toHaveValue("29");
  expect((await rule(2)).getByRole("textbox", { name: "Megabytes" })).toHaveValue("2500");
  await userEvent.click(screen.getByRole("button", { name: "Move rule 1 down" }));
  await press("Save");
  await screen.findByRole("status");
  expect(sent(SAVE)).toEqual({ rules: rules.toReversed() });
});

test("unsaved edits are restored after visiting another tab", async () => {
  show([highKl]).unmount();
  const { unmount } = show([highKl]);
  await add("Stop at 20 minutes");
  unmount();
  const sent = show([highKl]);
  expect((await rule(2)).getByRole("textbox", { name: "Minutes" })).toHaveValue("20");
  await press("Discard");
  expect(screen.queryByRole("listitem", { name: "Rule 2" })).not.toBeInTheDocument();
  expect(sent(SAVE)).toBeUndefined();
});

test("contradicting rules are reported at the later one and can be saved", async () => {
  show([highKl]);
  await add("Halve the learning rate when the KL is too high");
  const warning = (await rule(2)).getByRole("status");
  expect(warning).toHaveTextContent("Rule 1 also changes the learning rate.");
  expect((await rule(1)).queryByRole("status")).not.toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Save" })).toBeEnabled();
});
