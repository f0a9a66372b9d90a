import { PlaybackController } from "./playback-controller";

/** A video whose time a test moves on by hand. */
export class FakeMedia extends EventTarget {
  currentTime = 0;
  paused = true;
  playbackRate = 1;
  seeking = false;
  private readonly onFrame: VideoFrameRequestCallback[] = [];

  constructor(private readonly duration: number) {
    super();
  }

  requestVideoFrameCallback(callback: VideoFrameRequestCallback) {
    return this.onFrame.push(callback);
  }

  /** The browser shows the frame that begins at so many seconds. */
  show(mediaTime: number) {
    for (const tell of this.onFrame.splice(0)) tell(0, { mediaTime } as VideoFrameCallbackMetadata);
  }

  async play() {
    this.paused = false;
    this.dispatchEvent(new Event("play"));
  }

  pause() {
    if (this.paused) return;
    this.paused = true;
    this.dispatchEvent(new Event("pause"));
  }

  run(seconds: number) {
    if (this.paused) return;
    this.currentTime = Math.min(this.duration, this.currentTime + seconds * this.playbackRate);
    if (this.currentTime < this.duration) return;
    this.pause();
    this.dispatchEvent(new Event("ended"));
  }
}

let due: (() => void) | null = null;
export const frames = {
  request: (callback: () => void) => {
    due = callback;
    return 1;
  },
  cancel: () => {
    due = null;
  },
};
export const nextFrame = () => due?.();

/** Controls videos of so many seconds, with 50 frames a second. */
export function controllerOf(...durations: number[]) {
  due = null;
  const controller = new PlaybackController(frames);
  const media = durations.map((duration) => new FakeMedia(duration));
  media.forEach((each, i) =>
    controller.add(each as unknown as HTMLVideoElement, durations[i]!, 50),
  );
  const run = (seconds: number) => {
    media.forEach((each) => each.run(seconds));
    nextFrame();
  };
  return { controller, media, run };
}
