import { expect, test } from "vitest";
import { controllerOf, FakeMedia, frames, nextFrame } from "./fixtures";
import { frameAt, PlaybackController } from "./playback-controller";

test("the shorter video waits at its end and resumes when the time goes back", () => {
  const { controller, media, run } = controllerOf(2, 5);
  const [short, long] = [media[0]!, media[1]!];
  expect(controller.state.get().duration).toBe(5);
  controller.play();
  run(3);
  expect([short.currentTime, long.currentTime]).toEqual([2, 3]);
  expect([short.paused, long.paused]).toEqual([true, false]);
  expect(controller.state.get().playing).toBe(true);

  controller.seek(1);
  expect([short.currentTime, long.currentTime]).toEqual([1, 1]);
  nextFrame();
  expect(short.paused).toBe(false);
});

test("a video that falls behind is resynchronised beyond a tolerance", () => {
  const { controller, media, run } = controllerOf(5, 6);
  controller.play();
  run(1);
  media[0]!.currentTime = 0.95;
  nextFrame();
  expect(media[0]!.currentTime).toBe(0.95);
  media[0]!.currentTime = 0.5;
  nextFrame();
  expect(media[0]!.currentTime).toBe(1);
});

test("a video that is still seeking gets no other seek", () => {
  const { controller, media, run } = controllerOf(5, 6);
  controller.play();
  run(1);
  Object.assign(media[0]!, { currentTime: 0.5, seeking: true });
  nextFrame();
  expect(media[0]!.currentTime).toBe(0.5);
  media[0]!.seeking = false;
  nextFrame();
  expect(media[0]!.currentTime).toBe(1);
});

test("paused videos show the same moment, also when a frame of the leader is late", () => {
  const { controller, media, run } = controllerOf(5, 6, 1);
  controller.play();
  run(2);
  media[0]!.currentTime = 1.95;
  media[2]!.currentTime = 0.99; // of one second, by the browser's reckoning
  controller.pause();
  expect(media.map(({ currentTime }) => currentTime)).toEqual([2, 2, 0.99]);
  media[1]!.show(1.9);
  expect(media[0]!.currentTime).toBeCloseTo(1.92, 3);
  expect(media[2]!.currentTime).toBe(0.99);
});

test("playback stops at the end and restarts from the beginning; a loop restarts automatically", () => {
  const { controller, media, run } = controllerOf(1, 2);
  controller.play();
  run(2);
  expect(controller.state.get().playing).toBe(false);
  expect(controller.time.get()).toBe(2);
  controller.play();
  expect(media.map(({ currentTime }) => currentTime)).toEqual([0, 0]);
  controller.toggleLoop();
  run(2);
  expect(controller.state.get().playing).toBe(true);
  expect(media.map(({ currentTime, paused }) => [currentTime, paused])).toEqual([
    [0, false],
    [0, false],
  ]);
});

test("a step pauses and shows exactly the next frame, never past the last", () => {
  const { controller, media, run } = controllerOf(1);
  controller.play();
  run(0.1);
  controller.step(1);
  expect(controller.state.get().playing).toBe(false);
  expect(frameAt(media[0]!.currentTime, 50)).toBe(6);
  for (let i = 0; i < 100; i += 1) controller.step(1);
  expect(frameAt(media[0]!.currentTime, 50)).toBe(49);
  controller.step(-1);
  expect(frameAt(media[0]!.currentTime, 50)).toBe(48);
});

test("the time is that of the displayed frame, however far ahead the clock is", () => {
  const { controller, media, run } = controllerOf(10);
  const video = media[0]!;
  const frame = () => frameAt(controller.time.get(), 50);
  controller.play();
  run(4.32);
  video.show(214 / 50);
  nextFrame();
  expect(frame()).toBe(214);
  controller.pause();
  expect(frame()).toBe(214);
  video.show(216 / 50); // it was on its way
  expect(frame()).toBe(216);
  controller.seek(2);
  expect(frame()).toBe(100);
  video.show(100 / 50);
  expect(controller.time.get()).toBe(2);
  controller.play();
  run(3); // a browser that shows nothing, of a video that nobody sees for instance
  expect(controller.time.get()).toBe(5);
});

test("a video paused by the browser pauses all of them", () => {
  const { controller, media, run } = controllerOf(3, 4);
  controller.play();
  run(1);
  media[1]!.pause();
  expect(media[0]!.paused).toBe(true);
  expect(controller.state.get().playing).toBe(false);
});

test("a speed also applies to videos added later", () => {
  const { controller } = controllerOf(3);
  controller.shiftRate(1);
  const late = new FakeMedia(2);
  const remove = controller.add(late as unknown as HTMLVideoElement, 9, 50);
  expect([late.playbackRate, controller.state.get().duration]).toEqual([2, 9]);
  remove();
  expect(controller.state.get().duration).toBe(3);
});

test("parts of two videos play in sync and hold their last frames", () => {
  const controller = new PlaybackController(frames);
  const [short, long] = [new FakeMedia(60), new FakeMedia(60)];
  controller.add(short as unknown as HTMLVideoElement, 2, 50, 10);
  controller.add(long as unknown as HTMLVideoElement, 3, 50, 30);
  const run = (seconds: number) => {
    for (const each of [short, long]) each.run(seconds);
    nextFrame();
  };
  controller.seek(0.5);
  expect([short.currentTime, long.currentTime]).toEqual([10.5, 30.5]);
  controller.play();
  run(1);
  expect(controller.time.get()).toBe(1.5);
  expect([short.currentTime, long.currentTime]).toEqual([11.5, 31.5]);
  run(0.75);
  expect([short.currentTime, short.paused]).toEqual([12, true]);
  expect(long.paused).toBe(false);
  run(1);
  expect([long.currentTime, long.paused]).toEqual([33, true]);
  expect(controller.state.get().playing).toBe(false);
  expect(controller.time.get()).toBe(3);
});

test("parts that end together stop together", () => {
  const controller = new PlaybackController(frames);
  const [leader, behind] = [new FakeMedia(60), new FakeMedia(60)];
  controller.add(leader as unknown as HTMLVideoElement, 2, 50, 10);
  controller.add(behind as unknown as HTMLVideoElement, 2, 50, 30);
  controller.play();
  leader.currentTime = 12.01;
  behind.currentTime = 31.96;
  nextFrame();
  expect([leader, behind].map(({ currentTime }) => currentTime)).toEqual([12, 32]);
  expect([leader, behind].map(({ paused }) => paused)).toEqual([true, true]);
});

test("a video replaced by a longer one during playback continues at its time", () => {
  const { controller, media, run } = controllerOf(2);
  controller.play();
  run(1);
  media[0]!.paused = true; // without a word, as browsers do
  media[0]!.currentTime = 0;
  media[0]!.dispatchEvent(new Event("loadedmetadata"));
  expect([media[0]!.currentTime, media[0]!.paused]).toEqual([1, false]);
  controller.pause();
  media[0]!.dispatchEvent(new Event("loadedmetadata"));
  expect(media[0]!.paused).toBe(true);
});
