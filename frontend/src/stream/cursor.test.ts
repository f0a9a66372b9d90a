import { expect, test } from "vitest";
import { readCursor, writeCursor } from "./event-stream-client";

test("a cursor is parsed by run and written for the requested runs", () => {
  const cursors = readCursor("ppo-a:10,dqn-b:2048");
  expect(writeCursor(cursors, ["dqn-b", "unknown"])).toBe("dqn-b:2048");
  expect(writeCursor(cursors, ["ppo-a", "dqn-b"])).toBe("ppo-a:10,dqn-b:2048");
});

test.each([null, undefined, "", "garbage", ":5", ","])("%j contains no position", (cursor) => {
  expect(readCursor(cursor).size).toBe(0);
});
