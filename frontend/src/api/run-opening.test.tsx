import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { algorithmQuery, environmentQuery } from "./choices";
import { holdRequests, releaseRequests } from "./first-request";
import { patchRun, runQuery } from "./runs";
import { fetchCurves, openingScript, runOpeningQuery, USUAL_VIEW } from "./run-opening";

const curves = { run_id: "a", cursor: "a:30", series: {} };
const opening = {
  run: { id: "a", algo: "ppo", env_id: "CartPole-v1" },
  curves,
  algorithm: { id: "ppo", name: "PPO" },
  environment: { id: "CartPole-v1", still_url: null },
  metric_definitions: { metrics: [], groups: [] },
  limits: {},
};
const asked: string[] = [];
let answer: unknown = opening;

beforeEach(() => {
  asked.length = 0;
  answer = opening;
  vi.stubGlobal("fetch", (request: Request | string) => {
    const { pathname, search } = new URL(
      typeof request === "string" ? request : request.url,
      "http://localhost",
    );
    asked.push(`${pathname}${search}`);
    return Promise.resolve(Response.json(pathname.endsWith("/page") ? answer : { other: true }));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  releaseRequests();
  delete window.rlvizOpening;
});

const query = { x: "step", smoothing: 0.9, maxPoints: 2000, names: null } as const;

test("one request fills the queries of the page and its curves are parsed once", async () => {
  const client = new QueryClient();
  await client.fetchQuery(runOpeningQuery("a", USUAL_VIEW));
  expect(asked).toEqual(["/api/runs/a/page?max_points=2000&smoothing=0.9&x=step"]);
  expect(client.getQueryData(runQuery("a").queryKey)).toEqual(opening.run);
  expect(client.getQueryData(algorithmQuery("ppo").queryKey)).toEqual(opening.algorithm);
  expect(client.getQueryData(environmentQuery("CartPole-v1").queryKey)).toEqual(
    opening.environment,
  );
  expect(await fetchCurves("a", query)).toEqual(curves);
  expect(asked).toHaveLength(1);
  // What is asked for later would lack the rows that came since.
  expect(await fetchCurves("a", query)).toEqual({ other: true });
  expect(asked).toHaveLength(2);
});

test.each([
  ["another axis", { ...query, x: "seconds" as const }],
  ["another smoothing", { ...query, smoothing: 0 }],
  ["some metrics", { ...query, names: ["episode/reward"] }],
  ["a part of the axis", { ...query, from: 3 }],
])("a loader that needs %s sends its own request", async (_, other) => {
  await new QueryClient().fetchQuery(runOpeningQuery("a", USUAL_VIEW));
  expect(await fetchCurves("a", other)).toEqual({ other: true });
});

test("a loader that starts while the page opens waits for its curves", async () => {
  const opened = new QueryClient().fetchQuery(runOpeningQuery("a", USUAL_VIEW));
  expect(await fetchCurves("a", query)).toEqual(curves);
  await opened;
  expect(asked).toHaveLength(1);
});

test("slow curves get their own request, which nothing waits for", async () => {
  holdRequests();
  answer = { ...opening, curves: null };
  await new QueryClient().fetchQuery(runOpeningQuery("a", USUAL_VIEW));
  expect(await fetchCurves("a", query)).toEqual({ other: true });
});

test("the inline script sends the same request as the code", async () => {
  window.history.replaceState(null, "", "/runs/view?id=a");
  new Function(openingScript)();
  expect(asked).toEqual(["/api/runs/a/page?max_points=2000&smoothing=0.9&x=step"]);
  const client = new QueryClient();
  await client.fetchQuery(runOpeningQuery("a", USUAL_VIEW));
  expect(client.getQueryData(runQuery("a").queryKey)).toEqual(opening.run);
  expect(asked).toHaveLength(1);
});

test.each(["/?id=a", "/runs/view", "/runs/view?id=../a", "/runs/view?id=a&smooth=0.5"])(
  "the inline script sends nothing at %s",
  (address) => {
    window.history.replaceState(null, "", address);
    new Function(openingScript)();
    expect(asked).toEqual([]);
  },
);

test("reads wait for the first request and changes do not", async () => {
  const client = new QueryClient();
  holdRequests();
  const read = client.fetchQuery(runQuery("b"));
  const changed = patchRun("b", { name: "new" });
  await client.fetchQuery(runOpeningQuery("a", USUAL_VIEW));
  await changed;
  expect(asked).not.toContain("/api/runs/b?");
  expect(asked).toHaveLength(2);
  releaseRequests();
  await read;
  expect(asked).toHaveLength(3);
});
