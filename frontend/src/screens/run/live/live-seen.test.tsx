import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { createStore } from "@/lib/store";
import type { EpisodeTrace } from "@/player/session/episode-trace";
import type { Moment, SessionClient } from "@/player/session/session-client";
import { recordOf } from "@/player/session/testing";
import { LiveSeen } from "./live-reading";

const bitmap = { width: 336, height: 168, close: () => {} } as ImageBitmap;

const moment = (score: "q_value" | null, at = 1, seenAt = at): Moment => ({
  ...{ record: recordOf(at), picture: null, trace: {} as EpisodeTrace, shownAt: 0 },
  seen: { about: { pictures: 4, score }, picture: bitmap, record: recordOf(seenAt) },
});

function shown() {
  const store = createStore<Moment | null>(null);
  const showSeen = vi.fn();
  const client = { moment: store, showSeen } as unknown as SessionClient;
  return { store, showSeen, ...render(<LiveSeen client={client} frozen={null} />) };
}

test("observations are requested while they are visible, without saliency by default", async () => {
  const user = userEvent.setup();
  const { showSeen, unmount } = shown();
  expect(showSeen.mock.lastCall).toEqual([true, false]);
  await user.click(screen.getByRole("switch", { name: "Saliency" }));
  expect(showSeen.mock.lastCall).toEqual([true, true]);
  unmount();
  expect(showSeen.mock.lastCall).toEqual([false]);
});

test("the newest picture is shown, or the whole stack", async () => {
  const user = userEvent.setup();
  const { store } = shown();
  act(() => store.set(moment(null)));
  expect(screen.getByRole("img", { name: "The newest picture that the agent saw" })).toBeVisible();
  expect(screen.queryByRole("link")).toBeNull();
  await user.click(screen.getByRole("radio", { name: "All 4" }));
  expect(screen.getByRole("img", { name: "4 pictures that the agent saw" })).toBeVisible();
});

test("with saliency it names its subject and its limits", () => {
  const { store } = shown();
  act(() => store.set(moment("q_value")));
  expect(screen.getByRole("img", { name: /each pixel mattered for Q\(s, a\)/ })).toBeVisible();
  expect(screen.getByText(/does not show why the action was chosen/)).toBeVisible();
  expect(screen.getByRole("link", { name: "What it can tell" })).toHaveAttribute(
    "href",
    "/explain#saliency",
  );
});

test("a picture kept while frames continue names its step", () => {
  const { store } = shown();
  act(() => store.set(moment("q_value", 415, 412)));
  expect(screen.getByText("Step 412")).toBeVisible();
});
