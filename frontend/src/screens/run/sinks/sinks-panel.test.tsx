import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { RunDetail, RunSink } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { mlflow, sink } from "./fixtures";
import { SinksPanel } from "./sinks-panel";

const offline = "Nobody is logged in.";
const offered = [
  mlflow,
  { ...mlflow, kind: "wandb", label: "Weights & Biases", place: "a folder", note: offline },
  { ...mlflow, kind: "trackio", label: "Trackio", install: "pip install 'rlviz[trackio]'" },
];

function show(sinks: RunSink[], routes: Parameters<typeof serve>[0] = {}) {
  let now = sinks;
  const answer = (next: RunSink[]) => () => {
    now = next;
    return { body: { run_id: "a", sinks: now } };
  };
  const asked = serve({
    "GET /sinks": () => ({ body: offered }),
    "GET /runs/a/sinks": () => ({ body: { run_id: "a", sinks: now } }),
    "PUT /runs/a/sinks/mlflow": answer([sink({ state: "waiting", under_way: true })]),
    "DELETE /runs/a/sinks/mlflow": answer([sink({ live: false })]),
    "POST /runs/a/sinks/mlflow/deliver": answer([sink({ live: false })]),
    ...routes,
  });
  renderWithQueries(<SinksPanel run={{ id: "a" } as RunDetail} />);
  return () => asked.map(({ route }) => route).filter((route) => !route.startsWith("GET"));
}

const row = async (name: string) => within(await screen.findByRole("listitem", { name }));

test("a run is exported once and the result is shown", async () => {
  const changed = show([]);
  await userEvent.click((await row("MLflow")).getByRole("button", { name: "Export now: MLflow" }));
  expect(await (await row("MLflow")).findByText("Delivered")).toBeVisible();
  expect(changed()).toEqual(["POST /runs/a/sinks/mlflow/deliver"]);
  const { getByRole } = await row("MLflow");
  expect(getByRole("link")).toHaveAttribute("href", sink().place);
  expect(getByRole("switch", { name: "Keep up to date" })).not.toBeChecked();
});

test("delivery to a sink can be switched off and on", async () => {
  const changed = show([sink()]);
  const { getByRole } = await row("MLflow");
  await userEvent.click(getByRole("switch"));
  await expect.poll(changed).toEqual(["DELETE /runs/a/sinks/mlflow"]);
  await expect.poll(() => getByRole("switch").hasAttribute("disabled")).toBe(false);
  expect(getByRole("switch")).not.toBeChecked();
  await userEvent.click(getByRole("switch"));
  await expect.poll(() => changed().at(-1)).toBe("PUT /runs/a/sinks/mlflow");
});

test("a sink that is not installed says what to install and offers nothing else", async () => {
  show([]);
  const { getByText, queryByRole } = await row("Trackio");
  expect(getByText("pip install 'rlviz[trackio]'")).toBeVisible();
  expect(queryByRole("switch")).toBeNull();
  expect(queryByRole("button", { name: /Export/ })).toBeNull();
});

test("without a login it explains the consequences", async () => {
  show([]);
  expect((await row("Weights & Biases")).getByText(offline)).toBeVisible();
});

test("an error says what to do and a refused retry says why", async () => {
  show([sink({ state: "failing", problem: "ConnectionError: refused" })], {
    "POST /runs/a/sinks/mlflow/deliver": () => ({
      status: 409,
      body: { title: "Damaged", status: 409, detail: "The folder is damaged." },
    }),
  });
  const { getByText, getByRole, findByRole } = await row("MLflow");
  expect(getByText("ConnectionError: refused")).toBeVisible();
  expect(getByText(/^Nothing is lost/)).toBeVisible();
  await userEvent.click(getByRole("button", { name: "Retry: MLflow" }));
  expect(await findByRole("alert")).toHaveTextContent("The folder is damaged.");
});
