import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createEarlyFetch, earlyScript } from "./early";
import { releaseRequests } from "./first-request";
import { readListFilter, toListFilter } from "./run-filter";
import { runOpeningQuery, USUAL_VIEW } from "./run-opening";
import { runPageQuery } from "./runs";

const asked: string[] = [];
const client = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal("fetch", (request: Request | string) => {
    const url = typeof request === "string" ? request : request.url;
    const { pathname, search } = new URL(url, "http://localhost");
    asked.push(`${pathname}${search}`);
    return Promise.resolve(
      Response.json(pathname.endsWith("/page") ? { run: { id: "a" } } : { runs: [] }),
    );
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  releaseRequests();
  delete window.rlvizEarly;
});

function open(address: string) {
  window.history.replaceState(null, "", address);
  new Function(earlyScript)();
}

test("the page of a run sends the request that its code would send", async () => {
  open("/runs/view?id=a");
  expect(asked).toEqual(["/api/runs/a/page?max_points=2000&smoothing=0.9&x=step"]);
  await client().fetchQuery(runOpeningQuery("a", USUAL_VIEW));
  expect(asked).toHaveLength(1);
});

test.each(["/", "/?new", "/?duplicate=a"])(
  "the list of runs at %s is asked for once, before the code of its page",
  async (address) => {
    open(address);
    expect(asked).toHaveLength(1);
    const filter = toListFilter(readListFilter(new URLSearchParams(window.location.search)));
    await client().fetchQuery(runPageQuery(filter, 0));
    expect(asked).toHaveLength(1);
    // The response is as old as the page: what asks later gets a new one.
    await client().fetchQuery(runPageQuery(filter, 0));
    expect(asked).toHaveLength(2);
  },
);

test("another request leaves the early response to the request that it answers", async () => {
  open("/");
  await client().fetchQuery(runPageQuery({ algo: ["ppo"] }, 0)); // as the rules of the form do
  const filter = toListFilter(readListFilter(new URLSearchParams()));
  await client().fetchQuery(runPageQuery(filter, 0));
  expect(asked).toEqual([expect.anything(), "/api/runs?algo=ppo&limit=60&offset=0"]);
});

test.each([
  { age: 4_999, requests: 1 },
  { age: 5_000, requests: 2 },
])("$age ms after the early request, $requests requests were sent", async ({ age, requests }) => {
  open("/");
  const early = window.rlvizEarly!;
  early.sent = 100; // whole: sums of fractions are rounded
  await createEarlyFetch(() => 100 + age)(new Request(new URL(early.url, window.location.href)));
  expect(asked).toHaveLength(requests);
  expect(window.rlvizEarly).toBeUndefined();
});

test("a request for another list is sent", async () => {
  open("/");
  await client().fetchQuery(runPageQuery({ q: "ppo" }, 0));
  expect(asked).toEqual([expect.anything(), "/api/runs?q=ppo&limit=60&offset=0"]);
});

test.each([
  ...["/?q=ppo", "/?sort=name", "/?seeds=apart", "/?trials=shown", "/?status=failed", "/compare"],
  ...["/runs/view", "/runs/view?id=../a", "/runs/view?id=a&smooth=0.5"],
])("nothing is sent early at %s", (address) => {
  open(address);
  expect(asked).toEqual([]);
});
