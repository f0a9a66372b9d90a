import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { whyNot } from "@/api/run-availability";
import type { RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { TrustNotice } from "./trust-notice";

const HASH = "ab".repeat(32);

const run = (change: Partial<RunDetail> = {}) =>
  ({
    ...{ id: "a", name: "Theirs", actor: "policy", status: "completed", policy_step: 100 },
    ...{ damage: [], standing: "untrusted" },
    ...change,
  }) as RunDetail;

const held = {
  run_id: "a",
  standing: "untrusted",
  content_hash: HASH,
  files: 12,
  size_bytes: 4_200_000,
  entry_points: ["/home/alice/lights.py:Lights"],
  policies: 3,
  snapshots: 2,
  came_from: {
    file: "run.zip",
    run_id: "theirs",
    made_by: "0.1.0",
    exported_at: "2026-11-21T01:43:12Z",
    imported_at: "2026-11-22T01:43:12Z",
    left_out: [{ path: "notes.bin", why: "It is not a file of a run folder." }],
    left_out_count: 1,
  },
};

test.each([
  ["made here", { standing: "own" }],
  ["trusted", { standing: "trusted" }],
  ["of a program of its own", { actor: "foreign" }],
] as const)("a run that is %s has no notice", (_, change) => {
  renderWithQueries(<TrustNotice run={run(change)} />);
  expect(screen.queryByText("This run was imported or copied here")).not.toBeInTheDocument();
});

test("the dialog explains trust and the contents of the run, and trusts exactly those", async () => {
  const asked = serve({
    "GET /runs/a/trust": () => ({ body: held }),
    "POST /runs/a/trust": () => ({ body: { ...held, standing: "trusted" } }),
  });
  renderWithQueries(<TrustNotice run={run()} />);
  await userEvent.click(screen.getByRole("button", { name: "Trust this run…" }));
  expect(screen.getByRole("dialog")).toHaveTextContent("Its files can contain programs");
  expect(await screen.findByText("/home/alice/lights.py:Lights")).toBeVisible();
  expect(screen.getByRole("dialog")).toHaveTextContent("3 files");
  expect(screen.getByRole("dialog")).toHaveTextContent("theirs");
  await userEvent.click(screen.getByRole("button", { name: "Trust this run" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(asked.filter(({ route }) => route.startsWith("POST"))).toEqual([
    { route: "POST /runs/a/trust", body: { content_hash: HASH } },
  ]);
});

test("a run changed since it was shown is not trusted, and the dialog says so", async () => {
  const detail = "Run 'a' is not what you have seen: its content has changed.";
  serve({
    "GET /runs/a/trust": () => ({ body: held }),
    "POST /runs/a/trust": () => ({ status: 409, body: { title: "Conflict", status: 409, detail } }),
  });
  renderWithQueries(<TrustNotice run={run()} />);
  await userEvent.click(screen.getByRole("button", { name: "Trust this run…" }));
  await screen.findByText("/home/alice/lights.py:Lights");
  await userEvent.click(screen.getByRole("button", { name: "Trust this run" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("its content has changed");
});

test("actions of an imported run say to trust it first", () => {
  const paused = run({ status: "paused" });
  for (const action of ["evaluate", "resume", "fork"] as const) {
    expect(whyNot(action, paused)).toContain("until you trust it");
    expect(whyNot(action, { ...paused, standing: "trusted" })).toBeNull();
  }
  expect(whyNot("compare", paused)).toBeNull();
});
