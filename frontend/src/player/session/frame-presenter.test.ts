import { expect, test } from "vitest";
import { FramePresenter, type Picture, type Shown } from "./frame-presenter";
import { FakeFrames, recordOf } from "./testing";

const blob = (name: string) => new Blob([name]);

/** A presenter whose frames are decoded and drawn when the test says so. */
function presenter() {
  const shown: (readonly [index: number, picture: string | null])[] = [];
  const closed: string[] = [];
  const decoding: ((picture: Picture & { name: string }) => void)[] = [];
  const names: string[] = [];
  const frames = new FakeFrames();
  const target = new FramePresenter<Picture & { name: string }>({
    decode: async (data) => {
      names.push(await data.text());
      return new Promise((resolve) => decoding.push(resolve));
    },
    frames,
    present: ({ record, picture }: Shown<Picture & { name: string }>) =>
      shown.push([record.index, picture?.name ?? null]),
  });
  const decoded = async () => {
    await expect.poll(() => decoding.length).toBeGreaterThan(0);
    const name = names.shift()!;
    decoding.shift()!({ name, width: 3, height: 2, close: () => closed.push(name) });
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { target, shown, closed, names, frames, decoded };
}

test("a record is shown with its own frame, in one animation frame", async () => {
  const { target, shown, frames, decoded } = presenter();
  target.record(recordOf(4), true);
  target.frame(blob("four"));
  await decoded();
  expect(shown).toEqual([]);
  frames.run();
  expect(shown).toEqual([[4, "four"]]);
});

test("only the newest of the frames that arrive during decoding is shown", async () => {
  const { target, shown, frames, decoded } = presenter();
  for (const index of [1, 2, 3]) {
    target.record(recordOf(index), true);
    target.frame(blob(String(index)));
  }
  await decoded();
  frames.run();
  await decoded();
  frames.run();
  expect(shown).toEqual([
    [1, "1"],
    [3, "3"],
  ]);
});

test("no record is shown ahead of its picture", async () => {
  const { target, shown, frames, decoded } = presenter();
  target.record(recordOf(1), true);
  target.frame(blob("1"));
  target.record(recordOf(2), false);
  await decoded();
  frames.run();
  expect(shown).toEqual([[1, "1"]]);
});

test("an environment without pictures shows only its records", () => {
  const { target, shown, frames } = presenter();
  target.record(recordOf(1), false);
  frames.run();
  expect(shown).toEqual([[1, null]]);
});

test("a picture is released when the next one is on the screen, also if it was never shown", async () => {
  const { target, closed, frames, decoded } = presenter();
  for (const name of ["a", "b", "c"]) {
    target.record(recordOf(1), true);
    target.frame(blob(name));
    await decoded();
    if (name !== "b") frames.run();
  }
  expect(closed).toEqual(["b", "a"]);
});

test("a frame that arrives after the session ended is not shown", async () => {
  const { target, shown, closed, frames, decoded } = presenter();
  target.record(recordOf(1), true);
  target.frame(blob("late"));
  await expect.poll(() => 1).toBe(1);
  target.clear();
  await decoded();
  frames.run();
  expect([shown, closed]).toEqual([[], ["late"]]);
});

test("an unannounced binary message is ignored", () => {
  const { target, names } = presenter();
  expect(target.frame(blob("x"))).toBeNull();
  expect(names).toEqual([]);
});

test("agent observations are shown with their frame", async () => {
  const { target, shown, frames, decoded } = presenter();
  const about = { pictures: 1, score: null };
  target.record(recordOf(1), true);
  target.frame(blob("frame"), { about, data: blob("seen") });
  await decoded();
  frames.run();
  expect(shown).toEqual([]); // the other half is not decoded yet
  await decoded();
  frames.run();
  expect(shown).toEqual([[1, "frame"]]);
});

test("agent observations stay until a step of the episode brings new ones", async () => {
  const seen: (string | null)[] = [];
  const closed: string[] = [];
  const frames = new FakeFrames();
  const target = new FramePresenter<Picture & { name: string }>({
    decode: async (data) => {
      const name = await data.text();
      return { name, width: 3, height: 2, close: () => closed.push(name) };
    },
    frames,
    present: (shown: Shown<Picture & { name: string }>) =>
      seen.push(shown.seen?.picture.name ?? null),
  });
  const step = async (index: number, sees: string | null, episode = 0) => {
    target.record(recordOf(index, { episode }), true);
    const about = { pictures: 1, score: "logit" as const };
    target.frame(blob(String(index)), sees === null ? null : { about, data: blob(sees) });
    await new Promise((resolve) => setTimeout(resolve));
    frames.run();
  };
  await step(1, "a");
  await step(2, null);
  expect([seen, closed]).toEqual([["a", "a"], ["1"]]);
  await step(3, "b");
  expect([seen.at(-1), closed]).toEqual(["b", ["1", "2", "a"]]);
  await step(0, null, 1);
  expect(seen.at(-1), "of another episode").toBeNull();
});
