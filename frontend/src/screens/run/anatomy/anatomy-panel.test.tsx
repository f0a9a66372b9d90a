import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { AnatomyPanel } from "./anatomy-panel";

const run = { id: "a", env_id: "CartPole-v1", status: "failed" } as RunDetail;

function show(update: object, environments: object[] = [], of: RunDetail = run) {
  const updates = [{ seq: 1, time: 1, step: 2_048, actions: [], layers: [], ...update }];
  serve({
    "GET /environments": () => ({ body: environments }),
    "GET /runs/a/anatomy": () => ({ body: { run_id: "a", updates } }),
  });
  renderWithQueries(<AnatomyPanel run={of} />);
}

test("layers with only non-finite weights are reported as such and not as left out", async () => {
  const not_finite = ["mlp_extractor.policy_net.0.weight", "action_net.weight"];
  show({ not_finite, layer_count: 2 });
  expect(await screen.findByText(/No weight of any layer is a finite number/)).toBeVisible();
  expect(screen.queryByText(/are recorded/)).not.toBeInTheDocument();
});

test("only the first layers of a network that is too large are recorded", async () => {
  const layer = { weights: { low: -1, high: 1, counts: [1, 2], mean: 0, std: 1 } };
  show({
    layers: [{ name: "action_net.weight", ...layer }],
    not_finite: ["q.weight"],
    layer_count: 9,
  });
  expect(await screen.findByText(/No weight of q is a finite number/)).toBeVisible();
  expect(screen.getByText("Only the first 2 of 9 layers are recorded.")).toBeVisible();
});

test("actions match the environment of the run with its options", async () => {
  const histogram = { low: -1, high: 1, counts: [1, 2], mean: 0.1, std: 0.4 };
  const options = { continuous: true };
  const lander = {
    ...{ id: "LunarLander-v3", options: [{ name: "continuous", default: false }] },
    action_space: { kind: "Discrete", n: 2, labels: ["nothing", "main engine"] },
    variants: [{ options, action_space: { kind: "Box", n: null, labels: ["main", "side"] } }],
  };
  const of = { ...run, env_id: lander.id, env_options: options } as unknown as RunDetail;
  show({ actions: [histogram, histogram] }, [lander], of);
  expect(await screen.findByRole("region", { name: "Action: main" })).toHaveTextContent("±");
  expect(screen.getByRole("region", { name: "Action: side" })).toBeVisible();
  expect(screen.queryByText("nothing")).not.toBeInTheDocument();
});
