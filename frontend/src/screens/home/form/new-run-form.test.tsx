import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { firstDraft } from "./draft";
import { savedDraft } from "./draft-storage";
import { choices, exploring } from "./fixtures";
import { NewRunForm } from "./new-run-form";

const start = () => userEvent.click(screen.getByRole("button", { name: "Start training" }));
/** Shows the form with More open, as a browser keeps it that once opened it. */
const show = (routes: Parameters<typeof serve>[0] = {}) => {
  const asked = serve(routes);
  localStorage.setItem("rlviz-new-run-more", "true");
  renderWithQueries(<NewRunForm choices={choices} first={firstDraft(choices)} />);
  return asked;
};
const more = () => screen.getByText("More").closest("details")!;
const refuse = (pointer: string, detail: string) => ({
  "POST /runs": () => ({
    status: 422,
    body: { title: "Invalid run", errors: [{ pointer, detail }] },
  }),
});

beforeEach(() => {
  window.sessionStorage.clear();
  localStorage.clear();
});

test("one click starts a run with the preset's values and opens its page; a second does nothing", async () => {
  const asked = show({ "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }) });
  await start();
  await start();
  expect(asked.map(({ body }) => body)).toEqual([
    expect.objectContaining({ algo: "ppo", preset: "fast", total_timesteps: 30_000, start: true }),
  ]);
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/runs/view?id=ppo-a"));
  expect(screen.getByRole("button", { name: "Start training" })).toHaveAttribute("aria-disabled");
});

test("only environment, algorithm and preset are visible; a refusal opens the rest", async () => {
  serve(refuse("/seed", "is already used"));
  renderWithQueries(<NewRunForm choices={choices} first={firstDraft(choices)} />);
  expect(more()).not.toHaveAttribute("open");
  await start();
  expect(await screen.findByText("is already used")).toBeVisible();
  expect(more()).toHaveAttribute("open");
});

test("changes below More are counted, and More is open for a draft with changes", () => {
  const first = { ...firstDraft(choices), seed: "7", name: "Mine" };
  renderWithQueries(<NewRunForm choices={choices} first={first} />);
  expect(more()).toHaveAttribute("open");
  expect(screen.getByText("2 changed")).toBeVisible();
});

test("a preset that failed its measurement says so before Start, and offers one that works", async () => {
  const [first, ...others] = choices.environments;
  const figures = { seeds: 3, solved: 0, held: 0, return_iqm: 20, return_low: 1, return_high: 30 };
  const times = { steps_to_threshold: null, seconds_to_threshold: null, seconds: 70 };
  const solved = { solved: 3, held: 3, seconds_to_threshold: 18.4 };
  const [fast, stable] = first!.presets.ppo!;
  const measured = { ...figures, ...times };
  const ppo = [
    { ...fast!, title: "Fast", works: false, measured },
    { ...stable!, title: "Stable", works: true, measured: { ...measured, ...solved } },
  ];
  const environments = [{ ...first!, presets: { ...first!.presets, ppo } }, ...others];
  renderWithQueries(
    <NewRunForm choices={{ ...choices, environments }} first={firstDraft(choices)} />,
  );
  expect(screen.getByRole("radio", { name: "Fast" })).toHaveAccessibleDescription(
    /1m 10s.*solves 0 of 3/,
  );
  expect(screen.getByRole("radio", { name: "Stable" })).toHaveAccessibleDescription(
    /18s.*solves 3 of 3/,
  );
  expect(screen.getByText("Fast solved this in 0 of 3 measured runs.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Use Stable" }));
  expect(screen.getByRole("radio", { name: "Stable" })).toBeChecked();
  expect(screen.queryByText(/measured runs/)).toBeNull();
});

test("a refusal is shown at its field, which gets the focus", async () => {
  show(refuse("/seed", "is already used"));
  await userEvent.type(screen.getByLabelText("Seed"), "7");
  await start();
  const seed = await screen.findByRole("textbox", { name: "Seed", description: "is already used" });
  expect(seed).toBeInvalid();
  await vi.waitFor(() => expect(seed).toHaveFocus());
  await userEvent.type(seed, "1");
  expect(seed).toBeValid();
});

test("an invalid hyperparameter opens its group", async () => {
  show(refuse("/hyperparameters/n_steps", "does not divide"));
  const group = screen.getByText("Hyperparameters").closest("details")!;
  expect(group).not.toHaveAttribute("open");
  await start();
  await screen.findByText("does not divide");
  expect(group).toHaveAttribute("open");
});

test("a refusal without a field is shown above the button", async () => {
  show(refuse("/tags", "is too long"));
  await start();
  expect(await screen.findByRole("alert")).toHaveTextContent("tags: is too long");
});

test("an unreachable service leaves the form unchanged", async () => {
  show();
  await userEvent.type(screen.getByLabelText("Seed"), "7");
  await start();
  expect(await screen.findByRole("alert")).toHaveTextContent("does not answer");
  expect(screen.getByLabelText("Seed")).toHaveValue("7");
  expect(screen.getByRole("button", { name: "Start training" })).toBeEnabled();
});

test("values out of bounds are reported immediately and not sent", async () => {
  const asked = show();
  const timesteps = screen.getByLabelText("Timesteps");
  await userEvent.clear(timesteps);
  await userEvent.type(timesteps, "5");
  expect(timesteps).toHaveAccessibleDescription("Must be 100 to 1,000,000");
  await start();
  await vi.waitFor(() => expect(timesteps).toHaveFocus());
  expect(asked).toEqual([]);
});

test("an algorithm that cannot act in the environment says why and cannot be chosen", () => {
  show();
  const sac = screen.getByRole("radio", { name: "SAC" });
  expect(sac).toBeDisabled();
  expect(sac).toHaveAccessibleDescription("Needs continuous actions");
});

test("differences from the preset are marked and can be reset individually or all together", async () => {
  show();
  const field = screen.getByLabelText("n_steps");
  await userEvent.clear(field);
  await userEvent.type(field, "512");
  expect(screen.getAllByText("1 changed")).toHaveLength(2);
  await userEvent.click(
    screen.getByRole("button", { name: "Reset n_steps to 2048", hidden: true }),
  );
  expect(field).toHaveValue("2048");
  await userEvent.type(field, "1");
  await userEvent.click(screen.getByRole("button", { name: "Reset all", hidden: true }));
  expect(field).toHaveValue("2048");
});

test("a preset's exploration is shown; changes are marked, kept and reset", async () => {
  const asked = serve({ "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }) });
  localStorage.setItem("rlviz-new-run-more", "true");
  renderWithQueries(<NewRunForm choices={exploring} first={firstDraft(exploring)} />);
  expect(screen.getByText("coverage 0.3, archive 0.5")).toBeVisible();
  await userEvent.click(screen.getByText("Exploration"));
  for (const name of ["Record the map", "Reward coverage", "Begin in an archive"]) {
    expect(screen.getByRole("switch", { name })).toBeChecked();
  }
  expect(screen.getByRole("switch", { name: "Reward novelty" })).not.toBeChecked();
  expect(screen.getByLabelText("Reward for a new cell")).toHaveValue("0.3");
  expect(screen.getByLabelText("Share of episodes")).toHaveValue("0.5");
  expect(screen.queryByText(/changed$/)).toBeNull();

  await userEvent.click(screen.getByRole("radio", { name: "stable" }));
  expect(screen.getByLabelText("Reward for a new cell")).toHaveValue("0.2");
  await userEvent.click(screen.getByRole("radio", { name: "fast" }));

  await userEvent.click(screen.getByRole("switch", { name: "Begin in an archive" }));
  expect(screen.getByRole("button", { name: "Reset archive to 0.5" })).toHaveTextContent(
    "preset: 0.5",
  );
  expect(screen.getAllByText("1 changed")).toHaveLength(2);
  await userEvent.click(screen.getByRole("radio", { name: "stable" }));
  expect(screen.getByLabelText("Reward for a new cell"), "it was changed").toHaveValue("0.3");
  await userEvent.click(screen.getByRole("button", { name: "Reset coverage to 0.2" }));
  expect(screen.getByLabelText("Reward for a new cell")).toHaveValue("0.2");
  await userEvent.click(screen.getByRole("button", { name: "Reset all" }));
  expect(screen.getByRole("switch", { name: "Begin in an archive" })).toBeChecked();
  expect(screen.queryByText(/changed$/)).toBeNull();
  await start();
  expect(asked[0]!.body).not.toHaveProperty("exploration");
});

test("a button draws a random seed", async () => {
  show();
  await userEvent.click(screen.getByRole("button", { name: "Draw a seed" }));
  expect(screen.getByLabelText<HTMLInputElement>("Seed").value).toMatch(/^\d+$/);
});

async function addRule(template: string) {
  await userEvent.click(screen.getByText("Rules"));
  await userEvent.click(screen.getByRole("button", { name: "Add a rule" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: template }));
}

test("rules are edited as on the page of a run and created with the run", async () => {
  const asked = show({ "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }) });
  await addRule("Stop at 20 minutes");
  await userEvent.type(screen.getByRole("textbox", { name: "Minutes" }), "0");
  await start();
  const stop = { kind: "stop", then: "report", grace_seconds: 0 };
  expect(asked.find(({ route }) => route === "POST /runs")?.body).toMatchObject({
    rules: [{ when: { kind: "seconds", seconds: 12_000 }, do: [stop], at_most: 1 }],
  });
});

test("an inapplicable rule is reported at its field, and an invalid number is not sent", async () => {
  const pointer = "/rules/0/when/seconds/seconds";
  const asked = show(refuse(pointer, "should be less"));
  await addRule("Stop at 20 minutes");
  const minutes = screen.getByRole("textbox", { name: "Minutes" });
  await start();
  expect(await screen.findByText("should be less")).toBeVisible();
  expect(minutes).toBeInvalid();
  expect(screen.queryByText(/^rules/)).not.toBeInTheDocument();
  await userEvent.type(minutes, "x");
  expect(screen.queryByText("should be less")).not.toBeInTheDocument();
  expect(screen.getByText("Minutes: enter a number")).toBeVisible();
  await start();
  expect(asked.filter(({ route }) => route === "POST /runs")).toHaveLength(1);
});

test("rules are restored when the form is opened again", async () => {
  show();
  await addRule("Stop at 20 minutes");
  expect(savedDraft(window.sessionStorage, choices)?.rules).toMatchObject([
    { when: { phrase: "seconds", values: { seconds: "20" } } },
  ]);
});

test("a run is delivered to the chosen sinks, and a missing one says what to install", async () => {
  const sink = { kind: "mlflow", label: "MLflow", install: null, place: "a server", note: null };
  const trackio = { ...sink, kind: "trackio", label: "Trackio", install: "pip install trackio" };
  const asked = show({
    "GET /sinks": () => ({ body: [sink, trackio] }),
    "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }),
  });
  await userEvent.click(screen.getByText("Sinks"));
  const mlflow = await screen.findByRole("checkbox", { name: "MLflow" });
  expect(mlflow).toHaveAccessibleDescription("Sent to a server.");
  expect(screen.getByRole("checkbox", { name: "Trackio" })).toBeDisabled();
  expect(screen.getByText("pip install trackio")).toBeVisible();
  await userEvent.click(mlflow);
  await start();
  expect(asked.find(({ route }) => route === "POST /runs")?.body).toMatchObject({
    sinks: ["mlflow"],
  });
});

test("several seeds are one request, and their comparison is opened", async () => {
  const runs = ["a", "b", "c"].map((id) => ({ id }));
  const asked = show({ "POST /runs/groups": () => ({ status: 201, body: { runs } }) });
  await userEvent.selectOptions(screen.getByLabelText("Number of seeds"), "3");
  await userEvent.type(screen.getByLabelText("Seed"), "7");
  await userEvent.click(screen.getByRole("button", { name: "Start training × 3" }));
  expect(asked.map(({ body }) => body)).toEqual([
    expect.objectContaining({ algo: "ppo", seed: 7, count: 3, start: true }),
  ]);
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/compare?runs=a,b,c"));
});

test("seeds can be listed, and a duplicate is an error at the field and not sent", async () => {
  const runs = ["a", "b"].map((id) => ({ id }));
  const asked = show({ "POST /runs/groups": () => ({ status: 201, body: { runs } }) });
  await userEvent.selectOptions(screen.getByLabelText("Number of seeds"), "List");
  const seeds = screen.getByLabelText("Seeds");
  await userEvent.type(seeds, "4, 4");
  expect(seeds).toHaveAccessibleDescription(/Seed 4 is listed twice/);
  await userEvent.click(screen.getByRole("button", { name: "Start training × 2" }));
  expect(asked).toEqual([]);
  await userEvent.type(seeds, "2");
  await userEvent.click(screen.getByRole("button", { name: "Start training × 2" }));
  expect(asked.map(({ body }) => body)).toEqual([
    expect.objectContaining({ seed: null, seeds: [4, 42], start: true }),
  ]);
});

test("a refusal of listed seeds is shown at their field", async () => {
  const problem = { pointer: "/seeds/1", detail: "The group already has seed 5." };
  show({
    "POST /runs/groups": () => ({ status: 422, body: { title: "Invalid", errors: [problem] } }),
  });
  await userEvent.selectOptions(screen.getByLabelText("Number of seeds"), "List");
  await userEvent.type(screen.getByLabelText("Seeds"), "4, 5");
  await userEvent.click(screen.getByRole("button", { name: "Start training × 2" }));
  expect(
    await screen.findByRole("textbox", {
      name: "Seeds",
      description: "The group already has seed 5.",
    }),
  ).toBeInvalid();
});

test("an environment that cannot be copied names the test that found it", () => {
  const [cartPole, ...others] = choices.environments;
  const found = "With its attributes copied: its reward differed.";
  const haunted = {
    ...choices,
    environments: [{ ...cartPole!, not_exact_because: found }, ...others],
  };
  renderWithQueries(<NewRunForm choices={haunted} first={firstDraft(haunted)} />);
  expect(screen.getByText(/Resuming is not exact here:/).parentElement).toHaveTextContent(
    `Resuming is not exact here: ${found}`,
  );
});

test("a user preset links to its experiment and is deleted after a confirmation", async () => {
  const [first, ...others] = choices.environments;
  const [fast] = first!.presets.ppo!;
  const own = {
    ...{ ...fast!, id: "own-found", title: "Found" },
    ...{ is_own: true, experiment_id: "exp-a" },
  };
  const withOwn = { ...first!, presets: { ...first!.presets, ppo: [fast!, own] } };
  const environments = [withOwn, ...others];
  const asked = serve({
    "GET /health": () => ({ body: {} }),
    "DELETE /presets/own-found": () => ({}),
  });
  const draft = { ...firstDraft(choices), preset: "own-found" };
  renderWithQueries(<NewRunForm choices={{ ...choices, environments }} first={draft} />);
  expect(screen.getByRole("link", { name: "The experiment that measured it" })).toHaveAttribute(
    "href",
    "/experiments/view?id=exp-a",
  );
  await userEvent.click(screen.getByRole("button", { name: "Delete the preset Found" }));
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  await vi.waitFor(() =>
    expect(asked.map(({ route }) => route)).toContain("DELETE /presets/own-found"),
  );
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(screen.getByRole("radio", { name: fast!.title })).toBeChecked();
});
