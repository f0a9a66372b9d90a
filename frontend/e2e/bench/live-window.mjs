import { inBrowser, SETTLE } from "./observe.mjs";

/**
 * Measures watching in a browser: `node live-window.mjs URL SECONDS KEYS RUN`. RUN has ended and has a filmstrip. Prints
 * milliseconds from an action until its effect is on the screen: from a click on the curve until the video plays, from
 * Start until the agent is visible, and from a key to the resulting frame. While the agent plays for SECONDS: frames
 * per second, and how many animation frames a reading is drawn after the frame of its step.
 */
const [baseURL, seconds, keys, run] = process.argv.slice(2);
const PATIENCE = { timeout: 60_000 };

await inBrowser(baseURL, async (context) => {
  await context.addInitScript(observeFrames);
  const page = await context.newPage();
  const clips = await clicks(page);
  return { ...clips, ...(await start(page)), ...(await watch(page)), keys: await pressKeys(page) };
});

/** A click at a point of the curve whose policy has no clip yet, at another point, and at the first again. */
async function clicks(page) {
  await page.goto(`/runs/view?id=${run}`);
  const plot = page.getByRole("region", { name: "Episode return", exact: true }).locator(".u-over");
  await plot.waitFor(PATIENCE);
  await page.waitForTimeout(SETTLE);
  const { width, height } = await plot.boundingBox();
  let source = null;
  const click = async (share) => {
    await plot.click({ position: { x: width * share, y: height * 0.5 } });
    const played = await page.waitForFunction(
      (other) => {
        const { playing } = window.watched;
        return playing && playing.source !== other && playing;
      },
      source,
      PATIENCE,
    );
    const playing = await played.jsonValue();
    source = playing.source;
    return playing.at - (await page.evaluate(() => window.watched.clicked));
  };
  const first = await click(0.98);
  const next = await click(0.8);
  const again = [];
  for (let i = 0; i < 5; i += 1) again.push(await click(i % 2 ? 0.8 : 0.98));
  return { first, next, again };
}

async function start(page) {
  await page.goto("/");
  await page.waitForTimeout(SETTLE);
  await page.keyboard.press("n");
  const form = page.getByRole("form", { name: "New run" });
  await form.getByText("More", { exact: true }).click();
  await form.getByLabel("Timesteps").fill("10000000");
  await form.getByRole("button", { name: "Start training" }).click();
  await page.waitForFunction(() => window.watched.drawn.length > 0, null, PATIENCE);
  return page.evaluate(() => ({ start: window.watched.drawn[0].at - window.watched.clicked }));
}

async function watch(page) {
  await page.waitForTimeout(SETTLE);
  const found = await page.evaluate(
    async (milliseconds) => {
      const { watched } = window;
      watched.drawn.length = watched.read.length = 0;
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      // The last frame may be ahead of its reading, which comes with the next.
      const pairs = watched.drawn.slice(0, -1).map(({ step, frame }) => {
        const read = watched.read.find((one) => one.step === step && one.frame >= frame);
        return read ? read.frame - frame : null;
      });
      const [first, last] = [watched.drawn[0], watched.drawn.at(-1)];
      return {
        frames_a_second: ((watched.drawn.length - 1) / (last.at - first.at)) * 1000,
        behind: pairs.filter((frames) => frames !== null),
        unread: pairs.filter((frames) => frames === null).length,
      };
    },
    Number(seconds) * 1000,
  );
  const id = new URL(page.url()).searchParams.get("id");
  await page.request.post(`/api/runs/${id}/stop`);
  return found;
}

/** Waits for the first drawn frame of a step that a user took with that key. */
async function pressKeys(page) {
  await page.goto("/play?env=CartPole-v1");
  const stage = page.getByRole("application");
  await stage.waitFor(PATIENCE);
  await page.waitForFunction(() => window.watched.drawn.length > 0, null, PATIENCE);
  await stage.click();
  const delays = [];
  for (let i = 0; i < Number(keys); i += 1) {
    const [key, action] = i % 2 ? ["ArrowLeft", 0] : ["ArrowRight", 1];
    await page.evaluate(() => (window.watched.drawn.length = 0));
    await page.keyboard.down(key);
    const delay = await page.evaluate(async (wanted) => {
      const { watched } = window;
      const pressed = watched.pressed;
      for (;;) {
        if (watched.drawn.some(({ step }) => step === 0)) return null; // an episode was over
        const shown = watched.drawn.find(({ at, action }) => at > pressed && action === wanted);
        if (shown) return shown.at - pressed;
        await new Promise(requestAnimationFrame);
      }
    }, action);
    await page.keyboard.up(key);
    if (delay !== null) delays.push(delay);
  }
  return delays;
}

/** Runs in the page before its own scripts. Records in which animation frame each step is drawn and read. */
function observeFrames() {
  const watched = { clicked: 0, pressed: 0, playing: null, drawn: [], read: [] };
  window.watched = watched;
  let frame = 0;
  const tick = () => {
    frame += 1;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  const note = (name, what) =>
    document.addEventListener(name, () => (watched[what] = performance.now()), true);
  note("click", "clicked");
  note("keydown", "pressed");
  document.addEventListener(
    "playing",
    ({ target }) => (watched.playing = { at: performance.now(), source: target.currentSrc }),
    true,
  );

  const records = new WeakMap(); // of the bytes of a frame, then of the picture that they are decoded to
  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...args) {
      super(...args);
      let record = null;
      this.addEventListener("message", ({ data }) => {
        if (typeof data === "string") {
          const message = JSON.parse(data);
          if (message.type === "step" && message.frame_follows) record = message.record;
        } else if (record) {
          records.set(data, record);
          record = null;
        }
      });
    }
  };
  const decode = window.createImageBitmap.bind(window);
  window.createImageBitmap = async (data, ...rest) => {
    const picture = await decode(data, ...rest);
    if (records.has(data)) records.set(picture, records.get(data));
    return picture;
  };
  const { drawImage } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.drawImage = function (picture, ...rest) {
    drawImage.call(this, picture, ...rest);
    const record = records.get(picture);
    if (!record) return;
    watched.drawn.push({ at: performance.now(), frame, step: record.index, action: record.action });
  };
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const step = /^step (\d+):/.exec(target.getAttribute("aria-valuetext"));
      if (step) watched.read.push({ frame, step: Number(step[1]) });
    }
  }).observe(document, { subtree: true, attributeFilter: ["aria-valuetext"] });
}
