import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderWithQueries } from "@/lib/testing/service";
import { ImportDialog } from "./import-dialog";

interface Sent {
  query: URLSearchParams;
  type: string | null;
  text: string;
}

/** Answers imports with `status` and `body`, and keeps what was sent. */
function serveImports(status: number, body: unknown): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const url = new URL(request.url);
    if (url.pathname === "/api/limits")
      return Response.json({
        import_bytes: { maximum: 1000 },
        run_name: { minimum: 1, maximum: 120 },
      });
    expect(`${request.method} ${url.pathname}`).toBe("POST /api/runs/import");
    sent.push({
      query: url.searchParams,
      type: request.headers.get("Content-Type"),
      text: await request.text(),
    });
    return Response.json(body, { status });
  });
  return sent;
}

const choose = async (content: string) =>
  userEvent.upload(screen.getByLabelText("File"), new File([content], "progress.csv"));
const button = (name: string) => screen.getByRole("button", { name });

test("a file is sent unchanged and the result is shown", async () => {
  const sent = serveImports(201, {
    runs: [{ id: "ppo-a", name: "logs/a" }],
    warnings: [{ run_id: "ppo-a", message: "progress.csv, line 7 is left out." }],
    known: [],
    refused: [{ place: "logs/b", reason: "progress.csv is empty." }],
  });
  renderWithQueries(<ImportDialog onClose={vi.fn()} />);
  expect(button("Import")).toBeDisabled();
  await choose("step,loss\n1,2\n");
  await userEvent.type(screen.getByLabelText("Environment"), "CartPole-v1");
  await userEvent.click(button("Import"));
  expect(await screen.findByRole("link", { name: "logs/a" })).toHaveAttribute(
    "href",
    expect.stringContaining("ppo-a"),
  );
  expect(screen.getByRole("status")).toHaveTextContent("logs/b: progress.csv is empty.");
  expect(screen.getByRole("status")).toHaveTextContent("progress.csv, line 7 is left out.");
  const [{ query, type, text } = { query: new URLSearchParams(), type: null, text: "" }] = sent;
  expect(Object.fromEntries(query)).toEqual({ file: "progress.csv", env_id: "CartPole-v1" });
  expect([type, text]).toEqual(["application/octet-stream", "step,loss\n1,2\n"]);
});

test("a previously imported run is named and imported again on request", async () => {
  const known = [{ place: "progress.csv", run: { id: "ppo-a", name: "first" } }];
  const sent = serveImports(201, { runs: [], warnings: [], refused: [], known });
  renderWithQueries(<ImportDialog onClose={vi.fn()} />);
  await choose("step,loss\n1,2\n");
  await userEvent.click(button("Import"));
  expect(await screen.findByRole("status")).toHaveTextContent(
    "progress.csv has the curves of first",
  );
  expect(screen.getByRole("link", { name: "first" })).toBeVisible();
  await userEvent.click(button("Import anyway"));
  await expect.poll(() => sent.map(({ query }) => query.get("again"))).toEqual([null, "true"]);
});

test("a failed import says why and another file can be chosen", async () => {
  serveImports(422, { title: "Cannot be imported", status: 422, detail: "progress.csv is empty." });
  renderWithQueries(<ImportDialog onClose={vi.fn()} />);
  await choose("x");
  await userEvent.click(button("Import"));
  expect(await screen.findByRole("alert")).toHaveTextContent("progress.csv is empty.");
  await choose("y");
  expect(screen.queryByRole("alert")).not.toBeInTheDocument();
  expect(button("Import")).toBeEnabled();
});

test("a file beyond the size limit is not sent", async () => {
  const sent = serveImports(201, { runs: [], warnings: [], refused: [] });
  renderWithQueries(<ImportDialog onClose={vi.fn()} />);
  await choose("x".repeat(2000));
  expect(await screen.findByText(/the limit is .*Use rlviz import/)).toBeVisible();
  expect(button("Import")).toBeDisabled();
  expect(sent).toEqual([]);
});
