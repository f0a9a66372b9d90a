import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { RunDetail, RunStatus } from "@/api/types";
import { push } from "@/lib/testing/navigation";
import { renderWithQueries, serve, withQueries } from "@/lib/testing/service";
import { HeaderActions, useDeleteRun } from "./header-actions";

function Actions(change: Partial<RunDetail>) {
  return (
    <HeaderActions
      run={{ id: "a", actor: "policy", policy_step: null, damage: [], ...change } as RunDetail}
      remove={useDeleteRun()}
    />
  );
}

test.each([
  ["created", ["Compare with…", "Start"]],
  ["queued", ["Compare with…", "Stop"]],
  ["starting", ["Compare with…", "Stop", "Pause"]],
  ["running", ["Compare with…", "Evaluate", "Stop", "Pause"]],
  ["pausing", ["Compare with…", "Evaluate", "Stop", "Pausing…"]],
  ["paused", ["Compare with…", "Resume"]],
  ["interrupted", ["Compare with…", "Resume"]],
  ["stopping", ["Compare with…", "Evaluate", "Stopping…"]],
  ["completed", ["Compare with…", "Train longer…"]],
] as [RunStatus, string[]][])("a %s run offers only what can be done: %j", (status, names) => {
  renderWithQueries(<Actions status={status} />);
  expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
    ...names,
    "",
  ]);
});

test.each([
  ["created", "Start"],
  ["running", "Pause"],
  ["paused", "Resume"],
  ["stopped", "Resume"],
  ["completed", "Watch"],
] as [RunStatus, string][])("the one primary button of a %s run is %s", (status, name) => {
  renderWithQueries(<Actions status={status} policy_step={7} />);
  const primary = screen
    .getAllByRole("button")
    .filter(({ className }) => className.includes("bg-accent "));
  expect(primary.map(({ textContent }) => textContent)).toEqual([name]);
});

test("a run is forked from its menu, at its newest snapshot", async () => {
  const newest = { name: "auto-100", step: 100, trigger: "schedule", whole: true };
  const asked = serve({
    "GET /runs/a/snapshots": () => ({ body: { snapshots: [newest], newest: "auto-100" } }),
  });
  renderWithQueries(<Actions status="completed" policy_step={100} step={100} />);
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  await userEvent.click(screen.getByRole("menuitem", { name: "Fork…" }));
  await waitFor(() => expect(asked.map(({ route }) => route)).toContain("GET /runs/a/fork"));
  expect(screen.getByRole("dialog", { name: /^Fork at/ })).toBeVisible();
});

test.each([
  [{ coverage: 0.1 }, true],
  [{ map: true }, false],
  [null, false],
])("a run with exploration %j is compared without it: %s", async (exploration, offered) => {
  const config = { exploration } as RunDetail["config"];
  renderWithQueries(<Actions status="completed" config={config} />);
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  const compare = () =>
    screen.queryByRole("menuitem", { name: "Compare with and without exploration…" });
  expect(compare() !== null).toBe(offered);
  if (!offered) return;
  await userEvent.click(compare()!);
  expect(push).toHaveBeenCalledWith("/experiments?explored=a");
});

test("actions unavailable for a run of a newer version are disabled and say why", () => {
  const damage = [{ file: "config.json", line: null, problem: "", remedy: "", newer: true }];
  renderWithQueries(<Actions status="paused" policy_step={7} damage={damage} />);
  for (const name of ["Evaluate", "Resume"]) {
    const button = screen.getByRole("button", { name });
    expect(button).toBeDisabled();
    expect(button).toHaveAccessibleDescription(/newer version .* only view it/);
  }
});

test("a run that ended before it had a snapshot cannot be resumed, and says so", async () => {
  const kept = { snapshots: [], newest: null as string | null };
  serve({ "GET /runs/a/snapshots": () => ({ body: kept }) });
  const resume = () => screen.getByRole("button", { name: "Resume" });
  const { unmount } = renderWithQueries(<Actions status="interrupted" parent={null} />);
  await waitFor(() => expect(resume()).toBeDisabled());
  expect(resume()).toHaveAccessibleDescription(/before a snapshot was taken/);
  unmount();

  const asked = serve({ "GET /runs/a/snapshots": () => ({ body: { ...kept, newest: "100" } }) });
  renderWithQueries(<Actions status="interrupted" parent={null} />);
  await waitFor(() => expect(asked).not.toEqual([]));
  expect(resume()).toBeEnabled();
});

test("the error of an action is cleared when the run changes status", async () => {
  serve({ "POST /runs/a/stop": () => ({ status: 409, body: { title: "Not now" } }) });
  const { rerender } = render(<Actions status="running" />, { wrapper: withQueries() });
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("Not now");
  rerender(<Actions status="completed" />);
  expect(screen.queryByRole("alert")).not.toBeInTheDocument();
});
