import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { RunDetail, RunSnapshots, SnapshotInfo } from "@/api/types";
import { renderWithQueries, serve, withQueries } from "@/lib/testing/service";
import { list, run, snapshot } from "./fixtures";
import { SnapshotsPanel } from "./snapshots-panel";

const LIST = "GET /runs/a/snapshots";
const two = list(
  snapshot(2_048, { name: "before-lr", is_named: true, trigger: "requested", message: "to fork" }),
  snapshot(6_144, { trigger: "paused" }),
);

function show(found: RunSnapshots, change: Partial<RunDetail> = {}, routes = {}) {
  const asked = serve({
    [LIST]: () => ({ body: found }),
    "GET /runs/a": () => ({ body: run(change) }),
    ...routes,
  });
  renderWithQueries(<SnapshotsPanel run={run(change)} />);
  return () => asked.filter(({ route }) => !route.startsWith("GET"));
}

async function choose(snapshot: string, action: RegExp) {
  await userEvent.click(
    await screen.findByRole("button", { name: `Actions on the snapshot ${snapshot}` }),
  );
  await userEvent.click(await screen.findByRole("menuitem", { name: action }));
}

const confirm = async (name: string) =>
  userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name }));

test("lists snapshots newest first with their reasons and total size", async () => {
  show(two);
  const rows = (await screen.findAllByRole("listitem")).map(({ textContent }) => textContent);
  expect(rows[0]).toMatch(/^6,144At a pausenewest.*143 kB$/);
  expect(rows[1]).toMatch(/^2,048before-lrRequestedto fork/);
  expect(
    screen.getByText(/2 snapshots · 286 kB · every minute, newest 3 kept within 2 GB/),
  ).toBeVisible();
});

test("marks damaged, discarded and inexact snapshots", async () => {
  show(
    list(
      snapshot(1, { exact: false, not_exact_because: "Other processor." }),
      snapshot(2, { behind: true }),
      snapshot(3, { whole: false, problem: "A segment is missing." }),
      snapshot(4, { whole: false, inherited: true, problem: "It belongs to run b." }),
    ),
  );
  const rows = (await screen.findAllByRole("listitem")).map(({ textContent }) => textContent);
  expect(rows[0]).toContain("inheritedIt belongs to run b.");
  expect(rows[1]).toContain("damagedA segment is missing.");
  expect(rows[2]).toContain("discarded");
  expect(rows[3]).toContain("not exactOther processor.");
});

test("a snapshot is kept by giving it a name", async () => {
  const kept = { ...two, snapshots: [snapshot(6_144, { name: "mine", is_named: true })] };
  const asked = show(two, {}, { "PATCH /runs/a/snapshots/6144": () => ({ body: kept }) });
  await choose("step 6,144", /Keep/);
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole("button", { name: "Keep snapshot" })).toHaveAccessibleDescription(
    "Give it a name first.",
  );
  await userEvent.type(dialog.getByRole("textbox", { name: "Name" }), "mine");
  await confirm("Keep snapshot");
  expect(asked()[0]?.body).toEqual({ name: "mine", message: "" });
  expect(await screen.findByText("mine")).toBeVisible();
  expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
});

test("intervals and numbers of snapshots can be changed", async () => {
  const bounds = (minimum: number, maximum: number) => ({ minimum, maximum, default: null });
  const limits = {
    snapshot_every_steps: bounds(100, 1e7),
    snapshot_every_seconds: { ...bounds(1, 86_400), default: 60 },
    snapshots_kept: { ...bounds(1, 100), default: 3 },
    snapshot_bytes: bounds(1e6, 1e15),
  };
  const changed = { every_steps: 20_000, every_seconds: null, keep: 10, max_bytes: 2_000_000_000 };
  const asked = show(
    two,
    {},
    {
      "GET /limits": () => ({ body: limits }),
      "PUT /runs/a/snapshot-plan": () => ({ body: { ...two, plan: changed } }),
    },
  );
  await userEvent.click(await screen.findByRole("button", { name: "When…" }));
  const type = async (name: string, text: string) => {
    const field = await screen.findByRole("textbox", { name });
    await userEvent.clear(field);
    if (text) await userEvent.type(field, text);
  };
  expect(await screen.findByRole("textbox", { name: "Minutes between" })).toHaveValue("1");
  await type("Minutes between", "");
  await type("Steps between", "20");
  expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled");
  await type("Steps between", "20000");
  await type("Keep the newest", "10");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(asked()[0]?.body).toEqual(changed);
  expect(await screen.findByText(/every 20,000 steps, newest 10 kept/)).toBeVisible();
});

test("resumes from the chosen snapshot", async () => {
  const asked = show(two, {}, { "POST /runs/a/resume": () => ({ body: run() }) });
  await choose("“before-lr”", /Resume/);
  expect(screen.getByRole("dialog")).toHaveTextContent("computed again and compared");
  await confirm("Resume");
  expect(asked()).toEqual([{ route: "POST /runs/a/resume", body: { snapshot: "before-lr" } }]);
  expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
});

test("rolls back only after a confirmation that says what is discarded", async () => {
  const asked = show(two, {}, { "POST /runs/a/rollback": () => ({ body: run() }) });
  await choose("“before-lr”", /Roll back/);
  expect(screen.getByRole("dialog")).toHaveTextContent("but no longer count");
  expect(asked()).toEqual([]);
  await confirm("Roll back");
  expect(asked()).toEqual([{ route: "POST /runs/a/rollback", body: { snapshot: "before-lr" } }]);
});

const VERIFY = "/runs/a/snapshots/6144/verify";
const parts = ["model", "generators"].map((name) => ({ name, identical: true }));
const verified = { status: "completed", whole: true, identical: true, exact: true, parts };

test.each([
  [verified, "Verified: model, generators are identical."],
  [{ ...verified, exact: false, reasons: ["torch was 1.0."] }, "exactly. torch was 1.0."],
  [{ ...verified, identical: false, first_difference: "model: x" }, "The file differs. model: x"],
  [{ status: "completed", whole: false, cause: "It is damaged." }, "It is damaged."],
])(
  "a snapshot is verified and the result is shown (%#)",
  async (found, words) => {
    const asked = show(
      two,
      {},
      {
        [`POST ${VERIFY}`]: () => ({ status: 202, body: { status: "running" } }),
        [`GET ${VERIFY}`]: () => ({ body: found }),
      },
    );
    await choose("step 6,144", /Verify/);
    await waitFor(() => expect(screen.getByRole("status")).toHaveTextContent(words), {
      timeout: 60_000,
    });
    expect(asked().map(({ route }) => route)).toEqual([`POST ${VERIFY}`]);
  },
  60_000,
);

test("the result of an earlier verification is shown, also after a reload", async () => {
  const earlier = {
    ...verified,
    reasons: [],
    cause: null,
  } as unknown as SnapshotInfo["verification"];
  const asked = show(list(snapshot(6_144, { verification: earlier })));
  expect(await screen.findByText("Verified: model, generators are identical.")).toBeVisible();
  expect(asked()).toEqual([]);
});

test("a snapshot is deleted after a confirmation and the list is reloaded", async () => {
  let found = two;
  show(
    two,
    {},
    {
      [LIST]: () => ({ body: found }),
      "DELETE /runs/a/snapshots/6144": () => {
        found = list(two.snapshots[0]!);
        return {};
      },
    },
  );
  await choose("step 6,144", /Delete/);
  await confirm("Delete");
  expect(await screen.findByText(/1 snapshot ·/)).toBeVisible();
});

test("a refusal is shown at its action", async () => {
  const refuse = () => ({ status: 409, body: { title: "Run is active", detail: "Wait for it." } });
  show(two, {}, { "DELETE /runs/a/snapshots/6144": refuse });
  await choose("step 6,144", /Delete/);
  await confirm("Delete");
  expect(await screen.findByRole("alert")).toHaveTextContent("Wait for it.");
});

test("during training a snapshot is requested with name and message and awaited", async () => {
  let found = two;
  const asked = serve({
    [LIST]: () => ({ body: found }),
    "POST /runs/a/snapshots": () => ({ status: 202, body: run() }),
  });
  const running = run({ status: "running" });
  const { rerender } = render(<SnapshotsPanel run={running} />, { wrapper: withQueries() });
  await userEvent.click(await screen.findByRole("button", { name: /Take a snapshot/ }));
  await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "peak");
  await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "best so far");
  await userEvent.click(screen.getByRole("button", { name: "Take snapshot" }));
  expect(asked).toContainEqual({
    route: "POST /runs/a/snapshots",
    body: { name: "peak", message: "best so far" },
  });
  expect(await screen.findByRole("status")).toHaveTextContent("start of the next rollout");
  found = list(...two.snapshots, snapshot(8_192, { name: "peak", trigger: "requested" }));
  expect(await screen.findByText("8,192", undefined, { timeout: 60_000 })).toBeVisible();
  expect(screen.queryByRole("status")).not.toBeInTheDocument();
  rerender(<SnapshotsPanel run={run()} />);
  expect(screen.queryByRole("button", { name: /Take a snapshot/ })).not.toBeInTheDocument();
}, 60_000);

test("unavailable actions say why", async () => {
  show(two, { status: "running" });
  await userEvent.click(await screen.findByRole("button", { name: /snapshot step 6,144/ }));
  const items = await screen.findAllByRole("menuitem");
  expect(items.map(({ textContent }) => textContent)).toContain("Fork here…");
  for (const item of items.filter(
    ({ textContent }) => !/Fork|Verify|Keep|Roll back/.test(textContent),
  )) {
    expect(item).toHaveAttribute("aria-disabled", "true");
    expect(item).toHaveTextContent(/It is already training\.|Stop it first\./);
  }
});

test.each([
  ["created", "The app takes the first snapshot when the run trains."],
  ["running", "No snapshot yet."],
  ["failed", "This run has no snapshot, so it cannot continue."],
] as const)("a %s run without snapshots says so", async (status, words) => {
  show(list(), { status });
  expect(await screen.findByText(new RegExp(words))).toBeVisible();
});

test("a failed list says so and is reloaded on request", async () => {
  let works = false;
  show(
    two,
    {},
    {
      [LIST]: () => (works ? { body: two } : { status: 500, body: { title: "No such folder" } }),
    },
  );
  expect(await screen.findByRole("alert")).toHaveTextContent("No such folder");
  works = true;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("before-lr")).toBeVisible();
});
