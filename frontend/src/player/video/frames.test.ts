import { expect, test } from "vitest";
import { frameAt, middleOf, timecode } from "./playback-controller";

test("seeking to the middle of a frame shows that frame", () => {
  for (const fps of [15, 29.97, 30, 50, 60]) {
    for (let frame = 0; frame < 5000; frame += 1) {
      expect(frameAt(middleOf(frame, fps), fps)).toBe(frame);
    }
  }
});

test.each([
  [0, "0:00.0"],
  [9.99, "0:09.9"],
  [83.456, "1:23.4"],
  [-1, "0:00.0"],
])("%d seconds read %s", (seconds, text) => expect(timecode(seconds)).toBe(text));
