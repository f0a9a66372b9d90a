import { beforeEach, expect, test, vi } from "vitest";
import { Autosave, type SaveState } from "./autosave";

beforeEach(() => void vi.useFakeTimers());

/** A service that answers when the test says so. */
function notes() {
  const sent: string[] = [];
  const states: SaveState[] = [];
  const answers: ((error?: Error) => void)[] = [];
  const autosave = new Autosave(
    (text) => {
      sent.push(text);
      return new Promise((resolve, reject) =>
        answers.push((error) => (error ? reject(error) : resolve(null))),
      );
    },
    (state) => states.push(state),
  );
  const answer = async (error?: Error) => {
    answers.shift()?.(error);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { autosave, sent, answer, state: () => states.at(-1) };
}

const pause = () => vi.advanceTimersByTimeAsync(1000);

test("is sent when typing pauses and marked as saved only after the response", async () => {
  const { autosave, sent, answer, state } = notes();
  autosave.type("a");
  autosave.type("ab");
  expect(sent).toEqual([]);
  await pause();
  expect(sent).toEqual(["ab"]);
  expect(state()).toBe("saving");
  await answer();
  expect(state()).toBe("saved");
  autosave.flush();
  expect(sent).toEqual(["ab"]);
});

test("input during a request is sent after it", async () => {
  const { autosave, sent, answer, state } = notes();
  autosave.type("a");
  await pause();
  autosave.type("ab");
  await pause();
  expect(sent).toEqual(["a"]);
  await answer();
  expect(sent).toEqual(["a", "ab"]);
  expect(state()).toBe("saving");
  await answer();
  expect(state()).toBe("saved");
});

test("leaving sends the last input immediately, even during a request", async () => {
  const { autosave, sent, answer, state } = notes();
  autosave.type("a");
  autosave.flush();
  autosave.type("ab");
  autosave.flush();
  autosave.flush();
  expect(sent).toEqual(["a", "ab"]);
  await answer(new Error("too late"));
  expect(state()).toBe("saving");
  await answer();
  expect(state()).toBe("saved");
});

test("refused input is kept and sent again", async () => {
  const { autosave, sent, answer, state } = notes();
  autosave.type("a");
  await pause();
  await answer(new Error("The disk is full"));
  expect(state()).toBe("failed");
  expect(autosave.failed).toBe(true);
  autosave.flush();
  expect(sent).toEqual(["a", "a"]);
  await answer();
  expect(state()).toBe("saved");
});
