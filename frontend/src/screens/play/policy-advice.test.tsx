import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Actor, PolicyReading, SessionHello } from "@/api/types";
import { createStore } from "@/lib/store";
import type { EpisodeTrace } from "@/player/session/episode-trace";
import type { SessionClient } from "@/player/session/session-client";
import { recordOf } from "@/player/session/testing";
import { PolicyAdvice } from "./play-room";

const reading = { probabilities: [0.2, 0.8], value: 31.5 } as PolicyReading;
const hello = {
  action_space: { kind: "Discrete", n: 2, shape: [], labels: ["push left", "push right"] },
  action_bounds: null,
} as unknown as SessionHello;

function shown(actor: Actor, change: { reading?: PolicyReading }) {
  const moment = { record: recordOf(3, change), picture: null, trace: {} as EpisodeTrace };
  const client = {
    moment: createStore(moment),
    state: createStore({ hello, actor, greedy: true }),
  } as unknown as SessionClient;
  render(<PolicyAdvice client={client} />);
}

test("While a person plays, the preference of the policy is shown next to the stage", () => {
  shown("person", { reading });
  expect(screen.getByRole("region", { name: "What the policy would do" })).toHaveTextContent(
    /push left.*20%.*push right, taken.*80%.*Expected return, V\(s\): 31.5/,
  );
});

test("While the policy plays, its action is shown", () => {
  shown("policy", { reading });
  expect(screen.getByRole("region", { name: "What the policy does" })).toBeVisible();
});

test("A session without a policy has no advice", () => {
  shown("person", {});
  expect(screen.queryByRole("region")).toBeNull();
});
