import { expect, test } from "vitest";
import type { SessionState } from "@/player/session/session-machine";
import { commonActions } from "./racers";

const live = (greedy: boolean) => ({ hello: {}, greedy }) as SessionState;
const waiting = { hello: null, greedy: true };

test("the switch shows how all live sessions choose their actions, and nothing if they differ", () => {
  expect(commonActions([live(true), live(true)])).toBe("greedy");
  expect(commonActions([live(false), live(false)])).toBe("exploring");
  expect(commonActions([live(true), live(false)])).toBeNull();
});

test("sessions that are not live yet do not count", () => {
  expect(commonActions([waiting, waiting])).toBeNull();
  expect(commonActions([live(false), waiting])).toBe("exploring");
});
