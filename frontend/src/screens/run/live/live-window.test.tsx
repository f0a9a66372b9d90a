import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { FakeSocket, helloOf, recordOf } from "@/player/session/testing";
import { LiveWindow } from "./live-window";

const run = (change: object = {}) =>
  ({
    ...{ id: "a", name: "First", actor: "policy", env_id: "CartPole-v1" },
    ...{ status: "running", policy_step: null },
    ...{ config: { env_id: "CartPole-v1", hyperparameters: { gamma: 0.9 } } },
    ...change,
  }) as unknown as RunDetail;

let sockets: FakeSocket[] = [];
let scrollTo: (inView: boolean) => void = () => {};

beforeEach(() => {
  sockets = [];
  vi.stubGlobal(
    "WebSocket",
    class extends FakeSocket {
      constructor(path: string) {
        super(path);
        sockets.push(this);
      }
    },
  );
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(seen: (entries: { intersectionRatio: number }[]) => void) {
        scrollTo = (inView) => act(() => seen([{ intersectionRatio: inView ? 1 : 0 }]));
      }
      observe() {}
      disconnect() {}
    },
  );
});

const session = { id: "s", socket: "/api/sessions/s/socket" };
const routes = {
  "GET /environments": () => ({ body: [] }),
  "POST /sessions": () => ({ status: 201, body: session }),
};

async function watched(of = run()) {
  const asked = serve(routes);
  renderWithQueries(<LiveWindow run={of} chosen />);
  scrollTo(true);
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  const socket = sockets[0]!;
  act(() => socket.deliver(helloOf()));
  return { socket, asked };
}

const sentTypes = (socket: FakeSocket) => socket.sent.map(({ type }) => type);

test("the session starts only when it comes into view", async () => {
  const asked = serve(routes);
  renderWithQueries(<LiveWindow run={run()} chosen />);
  expect(asked.map(({ route }) => route)).not.toContain("POST /sessions");
  scrollTo(true);
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  expect(asked.find(({ route }) => route === "POST /sessions")?.body).toEqual({
    run_id: "a",
    mode: "watch",
  });
});

test("an ended run has no session until the user starts one", async () => {
  const asked = serve(routes);
  const ended = run({ status: "completed", policy_step: 7 });
  renderWithQueries(<LiveWindow run={ended} chosen={false} />);
  scrollTo(true);
  const play = await screen.findByRole("button", { name: "Watch it play" });
  expect(asked.map(({ route }) => route)).not.toContain("POST /sessions");
  await userEvent.click(play);
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
});

test("a run without a policy yet says why and requests nothing", () => {
  const asked = serve(routes);
  renderWithQueries(<LiveWindow run={run({ status: "queued" })} chosen={false} />);
  scrollTo(true);
  expect(screen.getByText(/waits in the queue/)).toBeVisible();
  expect(asked.map(({ route }) => route)).not.toContain("POST /sessions");
});

test("the state of the episode and the prediction of the policy arrive with the step", async () => {
  const { socket } = await watched();
  const reading = { value: 4.5, probabilities: [0.25, 0.75] };
  act(() => {
    socket.deliver({ type: "policy", step: 12_288 });
    socket.tellStep(recordOf(7, { episode_return: 7, reading: reading as never }));
  });
  expect(await screen.findByText("75%")).toBeVisible();
  expect(screen.getByRole("heading", { name: "Policy of step 12,288" })).toBeVisible();
  expect(screen.getByText("right").closest("dt")).toHaveTextContent("right, taken");
  expect(screen.getByRole("slider", { name: /V\(s\) over the episode/ })).toHaveAttribute(
    "aria-valuetext",
    "step 7: expected 4.50",
  );
});

test("selecting a moment on a line pauses and shows it, until the user returns to live", async () => {
  const { socket } = await watched();
  act(() => {
    for (const index of [0, 1, 2]) socket.tellStep(recordOf(index, { reward: index }));
  });
  const reward = await screen.findByRole("slider", { name: "Reward over the episode" });
  reward.focus();
  await userEvent.keyboard("{Home}{ArrowRight}");
  expect(sentTypes(socket)).toContain("pause");
  expect(reward).toHaveAttribute("aria-valuetext", "step 1: reward 1.00");
  await userEvent.click(screen.getByRole("button", { name: "Play" }));
  expect(reward).toHaveAttribute("aria-valuetext", "step 2: reward 2.00");
  expect(sentTypes(socket).at(-1)).toBe("play");
});

test("steps back and forward from live are possible", async () => {
  const { socket } = await watched();
  act(() => {
    for (const index of [0, 1, 2]) socket.tellStep(recordOf(index, { reward: index }));
  });
  const reward = await screen.findByRole("slider", { name: "Reward over the episode" });
  await userEvent.click(screen.getByRole("button", { name: "One step back" }));
  expect(sentTypes(socket).at(-1)).toBe("back");
  act(() => socket.tellStep(recordOf(1, { reward: 1 })));
  await vi.waitFor(() => expect(reward).toHaveAttribute("aria-valuetext", "step 1: reward 1.00"));
  await userEvent.click(screen.getByRole("button", { name: "One step" }));
  expect(sentTypes(socket).at(-1)).toBe("step");
});

test("a switch selects how actions are chosen", async () => {
  const { socket } = await watched();
  await userEvent.click(screen.getByRole("radio", { name: "Exploring" }));
  expect(socket.sent.at(-1)).toEqual({ type: "greedy", on: false });
});

test("at the session limit it lists the sessions and can replace one", async () => {
  const full = { title: "Too many sessions", detail: "2 of at most 2 sessions go on." };
  const answers = [{ status: 409, body: full }];
  const asked = serve({
    ...routes,
    "POST /sessions": () => answers.shift() ?? { status: 201, body: session },
    "GET /sessions": () => ({ body: [{ id: "x", run_id: null, env_id: "Acrobot-v1" }] }),
    "DELETE /sessions/x": () => ({ status: 200 }),
  });
  renderWithQueries(<LiveWindow run={run()} chosen />);
  scrollTo(true);
  expect(await screen.findByRole("alert")).toHaveTextContent("starts automatically");
  await userEvent.click(await screen.findByRole("button", { name: /Stop Acrobot-v1/ }));
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  expect(asked.map(({ route }) => route)).toContain("DELETE /sessions/x");
});

test("an ended session says why and restarts on a click", async () => {
  const { socket, asked } = await watched();
  act(() => socket.deliver({ type: "ended", cause: "The environment raised ValueError." }));
  expect(screen.getByRole("alert")).toHaveTextContent("The environment raised ValueError.");
  await userEvent.click(screen.getByRole("button", { name: "Watch again" }));
  await vi.waitFor(() => expect(sockets).toHaveLength(2));
  expect(asked.filter(({ route }) => route === "POST /sessions")).toHaveLength(2);
});

test("with reduced motion a click starts it", async () => {
  vi.spyOn(window, "matchMedia").mockImplementation(
    (media) => Object.assign(new EventTarget(), { media, matches: true }) as never,
  );
  serve(routes);
  renderWithQueries(<LiveWindow run={run()} chosen />);
  scrollTo(true);
  expect(sockets).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Watch it play" }));
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
});
