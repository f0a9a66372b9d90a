import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { firstDraft } from "./draft";
import { savedDraft } from "./draft-storage";
import { choices } from "./fixtures";
import { NewRunForm } from "./new-run-form";

const start = () => userEvent.click(screen.getByRole("button", { name: "Start training" }));
const show = (routes: Parameters<typeof serve>[0] = {}) => {
  const asked = serve(routes);
  renderWithQueries(<NewRunForm choices={choices} first={firstDraft(choices)} />);
  return asked;
};
const refuse = (pointer: string, detail: string) => ({
  "POST /runs": () => ({
    status: 422,
    body: { title: "Invalid run", errors: [{ pointer, detail }] },
  }),
});

beforeEach(() => window.sessionStorage.clear());

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

test("what the service refuses stands beside its field, which gets the focus", async () => {
  show(refuse("/seed", "is already used"));
  await userEvent.type(screen.getByLabelText("Seed"), "7");
  await start();
  const seed = await screen.findByRole("textbox", { name: "Seed", description: "is already used" });
  expect(seed).toBeInvalid();
  await vi.waitFor(() => expect(seed).toHaveFocus());
  await userEvent.type(seed, "1");
  expect(seed).toBeValid();
});

test("a bad hyperparameter opens the group it stands in", async () => {
  show(refuse("/hyperparameters/n_steps", "does not divide"));
  const group = screen.getByText("Advanced").closest("details")!;
  expect(group).not.toHaveAttribute("open");
  await start();
  await screen.findByText("does not divide");
  expect(group).toHaveAttribute("open");
});

test("a refusal that belongs to no field is shown above the button", async () => {
  show(refuse("/tags", "is too long"));
  await start();
  expect(await screen.findByRole("alert")).toHaveTextContent("tags: is too long");
});

test("a service that is away leaves the form as it was", async () => {
  show();
  await userEvent.type(screen.getByLabelText("Seed"), "7");
  await start();
  expect(await screen.findByRole("alert")).toHaveTextContent("does not answer");
  expect(screen.getByLabelText("Seed")).toHaveValue("7");
  expect(screen.getByRole("button", { name: "Start training" })).toBeEnabled();
});

test("values out of bounds are said at once, and not even sent", async () => {
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

test("what differs from the preset is marked, and given back one by one or all at once", async () => {
  show();
  const field = screen.getByLabelText("n_steps");
  await userEvent.clear(field);
  await userEvent.type(field, "512");
  expect(screen.getByText("1 changed")).toBeVisible();
  await userEvent.click(
    screen.getByRole("button", { name: "Reset n_steps to 2048", hidden: true }),
  );
  expect(field).toHaveValue("2048");
  await userEvent.type(field, "1");
  await userEvent.click(screen.getByRole("button", { name: "Reset all", hidden: true }));
  expect(field).toHaveValue("2048");
});

test("the dice draws a seed", async () => {
  show();
  await userEvent.click(screen.getByRole("button", { name: "Roll the dice" }));
  expect(screen.getByLabelText<HTMLInputElement>("Seed").value).toMatch(/^\d+$/);
});

async function addRule(template: string) {
  await userEvent.click(screen.getByText("Rules"));
  await userEvent.click(screen.getByRole("button", { name: "Add a rule" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: template }));
}

test("rules are written as on the page of a run, and are created with the run", async () => {
  const asked = show({ "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }) });
  await addRule("Stop at 20 minutes");
  await userEvent.type(screen.getByRole("textbox", { name: "Minutes" }), "0");
  await start();
  const stop = { kind: "stop", then: "report", grace_seconds: 0 };
  expect(asked.find(({ route }) => route === "POST /runs")?.body).toMatchObject({
    rules: [{ when: { kind: "seconds", seconds: 12_000 }, do: [stop], at_most: 1 }],
  });
});

test("a rule that does not fit is told of at its field, and one that is no number is not sent", async () => {
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

test("rules are there again when the form is opened again", async () => {
  show();
  await addRule("Stop at 20 minutes");
  expect(savedDraft(window.sessionStorage, choices)?.rules).toMatchObject([
    { when: { phrase: "seconds", values: { seconds: "20" } } },
  ]);
});

test("a run is delivered to the sinks that were chosen; one that is missing says what to install", async () => {
  const sink = { kind: "mlflow", label: "MLflow", install: null, place: "a server", note: null };
  const trackio = { ...sink, kind: "trackio", label: "Trackio", install: "pip install trackio" };
  const asked = show({
    "GET /sinks": () => ({ body: [sink, trackio] }),
    "POST /runs": () => ({ status: 201, body: { id: "ppo-a" } }),
  });
  await userEvent.click(screen.getByText("Sinks"));
  const mlflow = await screen.findByRole("checkbox", { name: "MLflow" });
  expect(mlflow).toHaveAccessibleDescription("Goes to a server.");
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
  await userEvent.selectOptions(screen.getByLabelText("× seeds"), "3");
  await userEvent.type(screen.getByLabelText("Seed"), "7");
  await userEvent.click(screen.getByRole("button", { name: "Start training × 3" }));
  expect(asked.map(({ body }) => body)).toEqual([
    expect.objectContaining({ algo: "ppo", seed: 7, count: 3, start: true }),
  ]);
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/compare?runs=a,b,c"));
});

test("seeds are listed, and one that is there twice is an error at the field, which is not sent", async () => {
  const runs = ["a", "b"].map((id) => ({ id }));
  const asked = show({ "POST /runs/groups": () => ({ status: 201, body: { runs } }) });
  await userEvent.selectOptions(screen.getByLabelText("× seeds"), "List");
  const seeds = screen.getByLabelText("Seeds");
  await userEvent.type(seeds, "4, 4");
  expect(seeds).toHaveAccessibleDescription(/Seed 4 is there twice/);
  await userEvent.click(screen.getByRole("button", { name: "Start training × 2" }));
  expect(asked).toEqual([]);
  await userEvent.type(seeds, "2");
  await userEvent.click(screen.getByRole("button", { name: "Start training × 2" }));
  expect(asked.map(({ body }) => body)).toEqual([
    expect.objectContaining({ seed: null, seeds: [4, 42], start: true }),
  ]);
});

test("what the service refuses of listed seeds stands at their field", async () => {
  const problem = { pointer: "/seeds/1", detail: "The group already has seed 5." };
  show({
    "POST /runs/groups": () => ({ status: 422, body: { title: "Invalid", errors: [problem] } }),
  });
  await userEvent.selectOptions(screen.getByLabelText("× seeds"), "List");
  await userEvent.type(screen.getByLabelText("Seeds"), "4, 5");
  await userEvent.click(screen.getByRole("button", { name: "Start training × 2" }));
  expect(
    await screen.findByRole("textbox", {
      name: "Seeds",
      description: "The group already has seed 5.",
    }),
  ).toBeInvalid();
});

test("an environment whose state nothing copies says which test found that out", () => {
  const [cartPole, ...others] = choices.environments;
  const found = "With its attributes copied: its reward differed.";
  const haunted = {
    ...choices,
    environments: [{ ...cartPole!, not_exact_because: found }, ...others],
  };
  renderWithQueries(<NewRunForm choices={haunted} first={firstDraft(haunted)} />);
  expect(
    screen.getByText(/Resume of this environment is not exact:/).parentElement,
  ).toHaveTextContent(`Resume of this environment is not exact: ${found}`);
});

test("a preset of one's own leads to its experiment, and is deleted once that is confirmed", async () => {
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
