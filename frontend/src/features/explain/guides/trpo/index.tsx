"use client";

import { count } from "@/lib/number";
import { Formula, Name } from "../../guide/formula";
import { type Fact, type Guide, numberOf, type Values } from "../../guide/guide";
import { GuidePage, type GuideProps } from "../../guide/guide-page";
import { entropyCollapsed, failures, valueLags } from "../shared/failures";
import { knobs } from "../shared/knobs";
import { RegionPicture } from "./region-picture";

function facts(values: Values, totalTimesteps: number): Fact[] {
  const environments = numberOf(values, "n_envs", 1);
  const steps = numberOf(values, "n_steps", 2048);
  const rollout = environments * steps;
  return [
    { label: "Rollout", value: count(rollout), note: `${environments} × ${count(steps)} steps` },
    { label: "Policy steps", value: count(Math.ceil(totalTimesteps / rollout)), note: "one each" },
    {
      label: "Critic passes each",
      value: count(numberOf(values, "n_critic_updates", 10)),
      note: "over the rollout",
    },
  ];
}

const guide: Guide = {
  id: "trpo",
  idea: "Each update, take the largest step that keeps the policy within a trusted distance of the one that collected the data.",
  picture: {
    title: "The trust region",
    invitation:
      "Inside the ellipse the policy has changed little enough to be trusted. Turn the gradient and make the parameters uneven: the best step is seldom the gradient's own.",
    Picture: RegionPicture,
  },
  optimises: {
    lead: "The expected advantage, under a hard limit on how far the policy moves.",
    formula: (
      <Formula spoken="Maximise the mean of r times A, while the mean divergence from the old policy is at most delta.">
        max mean of r·A while KL(π_old, π) ≤ δ
      </Formula>
    ),
    points: [
      "The limit is on what the policy does, not on its parameters: the natural gradient turns one into the other.",
      <>
        The direction comes from a conjugate gradient (<Name>cg_max_steps</Name>), the length from a
        line search that takes a step back until the limit holds and the objective rose.
      </>,
      "PPO replaces all this by a clip: simpler, cheaper, and without the guarantee.",
    ],
  },
  data: {
    lead: "Its own newest experience, for one policy step, then thrown away: on-policy.",
    points: [
      <>
        <Name>n_envs</Name> × <Name>n_steps</Name> transitions make one rollout; larger ones make
        the measured distance, and so the limit, trustworthy.
      </>,
      "Only the critic goes over the rollout several times.",
    ],
  },
  facts,
  knobs: [
    {
      name: "target_kl",
      does: "δ: how far one update may move the policy.",
      more: "faster, until the data no longer describes the new policy.",
      less: "near-certain improvement in tiny steps.",
    },
    knobs.environments,
    knobs.rolloutSteps,
    { ...knobs.learningRate, does: "Step size of the critic alone; the policy needs none." },
    {
      name: "n_critic_updates",
      does: "Passes of the critic over each rollout.",
      more: "better advantages, slower updates.",
      less: "cheap; advantages lag behind the policy.",
    },
    {
      name: "cg_max_steps",
      does: "Steps of the conjugate gradient that finds the direction.",
      more: "a truer direction, more time.",
      less: "closer to the plain gradient.",
    },
    knobs.gamma,
    knobs.gaeLambda,
  ],
  failures: [
    {
      id: "line-search-fails",
      title: "The line search gives up",
      curve: "spikes",
      metric: "train/is_line_search_success",
      see: "The value drops from 1 to 0 again and again: updates are refused and the return stands.",
      why: "Advantages are so noisy that no shortened step improves the objective within the limit.",
      try: "Longer rollouts, more n_critic_updates, a smaller target_kl.",
    },
    valueLags,
    entropyCollapsed,
    failures.plateau,
    failures.tooShort,
    failures.unstable,
  ],
  paper: {
    label: "Schulman et al. (2015), Trust Region Policy Optimization",
    href: "https://arxiv.org/abs/1502.05477",
  },
};

export default function TrpoGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
