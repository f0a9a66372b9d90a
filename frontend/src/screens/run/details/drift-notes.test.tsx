import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { DriftNotes } from "./config-panel";

const of = (drift: object[]) => ({
  "GET /runs/a/drift": () => ({ body: { run_id: "a", drift } }),
});

test("drift since the run was written is listed with locations of keys and names of packages", async () => {
  serve(
    of([
      { kind: "deprecated", file: "config.json", key: "/old", says: "It is called `new`." },
      { kind: "package", file: "config.json", key: "torch", says: "torch was 2.0 and is 2.13." },
    ]),
  );
  renderWithQueries(<DriftNotes runId="a" />);
  const [key, torch] = await screen.findAllByRole("listitem");
  expect(key).toHaveTextContent("config.json /old: It is called `new`.");
  expect(torch).toHaveTextContent(/^torch was 2.0 and is 2.13.$/);
});

test("a run without drift shows nothing", async () => {
  const requests = serve(of([]));
  const { container } = renderWithQueries(<DriftNotes runId="a" />);
  await expect.poll(() => requests).not.toHaveLength(0);
  expect(container).toBeEmptyDOMElement();
});
