import { expect, test } from "vitest";
import { mlflow, sink } from "./fixtures";
import { sinkText } from "./sinks-panel";

const NOW = 1_000_000;
const words = (change: Parameters<typeof sink>[0], offer = mlflow) =>
  sinkText(offer, sink(change), NOW);

test("an unused sink shows its destination and can be exported to", () => {
  expect(sinkText(mlflow, undefined, NOW)).toEqual({
    state: null,
    facts: ["Would go to http://tracking:5000, experiment rlviz."],
    failure: null,
    action: "Export now",
  });
});

test("a sink with a missing package cannot be delivered to", () => {
  const missing = { ...mlflow, install: "pip install 'rlviz[mlflow]'" };
  expect(sinkText(missing, undefined, NOW).action).toBeNull();
  const failing = words({ state: "failing", problem: "It needs more packages." }, missing);
  expect(failing.action).toBeNull();
  expect(failing.failure?.todo).toBe(
    "Nothing is lost: the missing data waits in the run's folder.",
  );
});

test("a completed delivery shows its last step and needs nothing", () => {
  const { state, facts, action } = words({});
  expect(state).toEqual({ text: "Delivered", tone: "good" });
  expect(facts[0]).toBe("30 rows, up to step 61,440");
  expect(action).toBeNull();
});

test.each([
  [{ state: "waiting", rows: 0, step: null, under_way: true }, "Delivering…", null],
  [{ state: "delivering", under_way: true }, "Keeping up", null],
  [{ state: "delivering", live: false, under_way: true }, "Delivering…", null],
  [{ state: "delivering", live: false }, "Behind", "Deliver new rows"],
  [{ state: "waiting", rows: 0, step: null }, "Waiting", "Deliver now"],
  [{ state: "failing", problem: "500", next_try_at: 999 }, "Delivering…", null],
  [{ state: "delivered", offline: true, live: false }, "In an offline folder", "Send"],
] as const)("%o is %s", (change, text, action) => {
  const { state, ...rest } = words(change);
  expect([state?.text, rest.action]).toEqual([text, action]);
});

test("a failed delivery says why, that nothing is lost, when it is retried and what to do", () => {
  const { state, failure, action, facts } = words({
    state: "failing",
    problem: "ConnectionError: refused",
    next_try_at: 1_256,
    waiting_bytes: 2_000,
  });
  expect([state?.text, action]).toEqual(["Not delivered", "Retry"]);
  expect(facts[1]).toMatch(/^2(\.0)? kB wait$/);
  expect(failure?.problem).toBe("ConnectionError: refused");
  expect(failure?.todo).toMatch(
    /^Nothing is lost: .* tried again at \S+.*MLFLOW_TRACKING_URI, then retry\.$/,
  );
});

test("metrics renamed in the sink are listed, the first few by name", () => {
  const renamed = Object.fromEntries(["/a", "/b", "/c", "/d"].map((name) => [name, `_${name[1]}`]));
  expect(words({ renamed }).facts.at(-1)).toBe(
    "Other names there: /a is _a, /b is _b, /c is _c, and 1 more",
  );
  expect(words({}).facts).toHaveLength(2);
});
