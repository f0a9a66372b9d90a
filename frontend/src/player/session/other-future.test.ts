import { expect, test } from "vitest";
import { FutureComparison } from "./session-client";
import { recordOf } from "./testing";

test("two futures first differ at a different observation, reward or ending, whatever the actions", () => {
  const futures = new FutureComparison();
  futures.add(1, recordOf(4));
  futures.add(0, recordOf(4));
  futures.add(0, recordOf(5, { action: 0 }));
  futures.add(1, recordOf(5, { action: 1 }));
  expect(futures.differsAt).toBeNull();
  futures.add(0, recordOf(6, { observation: [0, 1] }));
  expect(futures.differsAt).toBeNull();
  futures.add(1, recordOf(6, { observation: [0, 2] }));
  futures.add(0, recordOf(7, { reward: 2 }));
  futures.add(1, recordOf(7));
  expect(futures.differsAt).toBe(6);
});
