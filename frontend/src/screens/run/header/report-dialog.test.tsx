import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { RunDetail } from "@/api/types";
import { follow } from "@/lib/download";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { ReportDialog } from "./report-dialog";

vi.mock("@/lib/download", () => ({ follow: vi.fn() }));
afterEach(() => vi.mocked(follow).mockClear());

const RUN = { id: "a", actor: "policy", standing: "own" } as RunDetail;

function film(ready: number, waiting = 0, cause: string | null = null) {
  return { body: { run_id: "a", moments: 3, ready, waiting, failed: 0, cause } };
}

function open(run = RUN) {
  const onClose = vi.fn();
  renderWithQueries(<ReportDialog run={run} onClose={onClose} />);
  return onClose;
}

const downloaded = (film: boolean) =>
  expect(follow).toHaveBeenCalledWith(
    expect.stringMatching(new RegExp(`/runs/a/report\\?film=${film}$`)),
    "a.html",
  );

test("a run with filmed policies is downloaded immediately", async () => {
  serve({ "GET /runs/a/report/film": () => film(3) });
  const onClose = open();
  await screen.findByText("3 policies are filmed.");
  await userEvent.click(screen.getByRole("button", { name: "Download" }));
  downloaded(true);
  expect(onClose).toHaveBeenCalled();
});

test("missing policies are filmed first, and the download starts after the last", async () => {
  let ready = 1;
  const asked = serve({
    "GET /runs/a/report/film": () => film(ready),
    "POST /runs/a/report/film": () => film((ready = 2) - 1, 2),
  });
  open();
  await userEvent.click(await screen.findByRole("button", { name: "Film and download" }));
  expect(await screen.findByRole("status")).toHaveTextContent("Filming: 1 of 3 policies.");
  expect(follow).not.toHaveBeenCalled();
  await waitFor(() => downloaded(true), { timeout: 5_000 });
  expect(follow).toHaveBeenCalledTimes(1);
  expect(asked.map(({ route }) => route)).toContain("POST /runs/a/report/film");
});

test("without a film nothing is filmed", async () => {
  const asked = serve({ "GET /runs/a/report/film": () => film(0) });
  open();
  await screen.findByText(/^0 of 3 policies are filmed/);
  await userEvent.click(screen.getByRole("switch", { name: "With a film of the policies" }));
  await userEvent.click(screen.getByRole("button", { name: "Download" }));
  downloaded(false);
  expect(asked.filter(({ route }) => route.startsWith("POST"))).toEqual([]);
});

test("the dialog says why policies cannot be filmed and offers the report without them", async () => {
  serve({
    "GET /runs/a/report/film": () => film(0),
    "POST /runs/a/report/film": () => film(0, 0, "The disk is full."),
  });
  open();
  await userEvent.click(await screen.findByRole("button", { name: "Film and download" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.");
  expect(follow).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Download now" }));
  downloaded(true);
});

test("the policies of an imported run are not filmed", async () => {
  serve({ "GET /runs/a/report/film": () => film(0) });
  open({ ...RUN, standing: "untrusted" } as RunDetail);
  await screen.findByText(/imported or copied here/);
  await userEvent.click(screen.getByRole("button", { name: "Download" }));
  downloaded(true);
});
