import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Storage as StorageData } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { Storage } from "./storage";

const stored = (changes: Partial<StorageData> = {}): StorageData => ({
  measured_at: "2026-11-23T12:00:00.000Z",
  measuring: false,
  measured_in_seconds: 0.2,
  total_bytes: 10_000_000,
  free_bytes: 5e9,
  disk_bytes: 9e9,
  max_bytes: null,
  kinds: [
    { kind: "videos", words: "Videos", bytes: 9_000_000, files: 4, quota: 10_000_000 },
    { kind: "logs", words: "Logs", bytes: 1_000_000, files: 1, quota: null },
  ],
  runs: [
    {
      id: "ppo-a",
      name: "First try",
      algo: "ppo",
      env_id: "CartPole-v1",
      status: "completed",
      bytes: 10_000_000,
      kinds: { videos: 9_000_000 },
    },
  ],
  run_count: 1,
  warnings: ["Videos: 9 MB of 10 MB, 90%."],
  rules: [],
  words: [],
  rules_problem: null,
  trash_days: 7,
  pruning: null,
  log: [],
  ...changes,
});

const rule = { do: "compress" as const, after_days: 30, families: [], over_quota_only: false };

test("the page shows usage and nearly full quotas, and says that nothing is deleted without rules", async () => {
  serve({ "GET /storage": () => ({ body: stored() }) });
  renderWithQueries(<Storage />);
  expect(await screen.findByText("Videos: 9 MB of 10 MB, 90%.")).toBeVisible();
  expect(screen.getByText("90% of 10 MB")).toBeVisible();
  expect(screen.getByRole("link", { name: "First try" })).toHaveAttribute(
    "href",
    "/runs/view?id=ppo-a",
  );
  expect(screen.getByText("There are no rules, so nothing is deleted.")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Apply now…" })).not.toBeInTheDocument();
});

test("a request sent before a rule was saved does not undo it", async () => {
  let late: ((answer: Response) => void) | null = null;
  let looks = 0;
  vi.stubGlobal("fetch", async ({ url, method }: Request) => {
    if (url.endsWith("/health")) return Response.json({ storage: {} });
    if (url.endsWith("/algorithms")) return Response.json([]);
    if (method === "PUT") return Response.json(stored({ rules: [rule], words: ["Compress it."] }));
    looks += 1;
    if (looks === 1) return Response.json(stored({ measuring: true }));
    return new Promise<Response>((resolve) => (late = resolve));
  });
  renderWithQueries(<Storage />);
  await userEvent.click(await screen.findByRole("button", { name: "Add a rule…" }));
  await vi.waitFor(() => expect(late).not.toBeNull(), { timeout: 5_000 });
  await userEvent.click(screen.getByRole("button", { name: "Add the rule" }));
  expect(await screen.findByText("Compress it.")).toBeVisible();
  await act(async () => late?.(Response.json(stored())));
  expect(screen.getByText("Compress it.")).toBeVisible();
});

test("an added rule is sent with the others and the quotas, and its sentence is shown", async () => {
  const asked = serve({
    "GET /storage": () => ({ body: stored() }),
    "GET /health": () => ({ body: { storage: { atari: {} } } }),
    "PUT /storage/rules": () => ({ body: stored({ rules: [rule], words: ["Compress it all."] }) }),
  });
  renderWithQueries(<Storage />);
  await userEvent.click(await screen.findByRole("button", { name: "Add a rule…" }));
  const form = within(screen.getByRole("form", { name: "A new rule" }));
  await userEvent.selectOptions(form.getByLabelText("Does"), "Compress metrics");
  await userEvent.click(form.getByRole("button", { name: "Add the rule" }));
  expect(await screen.findByText("Compress it all.")).toBeVisible();
  const put = asked.find(({ route }) => route === "PUT /storage/rules");
  expect(put?.body).toEqual({ rules: [rule], quotas: { videos: 10_000_000 } });
});

test("an invalid rule is reported at the form and not sent", async () => {
  const asked = serve({
    "GET /storage": () => ({ body: stored() }),
    "GET /health": () => ({ body: { storage: {} } }),
  });
  renderWithQueries(<Storage />);
  await userEvent.click(await screen.findByRole("button", { name: "Add a rule…" }));
  await userEvent.clear(screen.getByLabelText("Days since the run ended"));
  await userEvent.click(screen.getByRole("button", { name: "Add the rule" }));
  expect(screen.getByRole("alert")).toHaveTextContent("Enter a number of days");
  expect(asked.some(({ route }) => route.startsWith("PUT"))).toBe(false);
});

test("rules are applied only after a confirmation", async () => {
  const asked = serve({
    "GET /storage": () => ({ body: stored({ rules: [rule], words: ["Compress it all."] }) }),
    "POST /storage/prune": () => ({
      status: 202,
      body: stored({ rules: [rule], words: ["Now."] }),
    }),
  });
  renderWithQueries(<Storage />);
  await userEvent.click(await screen.findByRole("button", { name: "Apply now…" }));
  expect(asked.some(({ route }) => route.startsWith("POST"))).toBe(false);
  await userEvent.click(screen.getByRole("button", { name: "Apply them" }));
  expect(await screen.findByText("Now.")).toBeVisible();
  expect(asked.find(({ route }) => route === "POST /storage/prune")?.body).toEqual({
    dry_run: false,
  });
});
