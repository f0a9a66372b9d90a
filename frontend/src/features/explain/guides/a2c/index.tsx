"use client";

import { count } from "@/lib/number";
import { Formula, Name } from "../../guide/formula";
import { type Fact, type Guide, numberOf, type Values } from "../../guide/guide";
import { GuidePage, type GuideProps } from "../../guide/guide-page";
import { entropyCollapsed, failures, valueLags } from "../shared/failures";
import { knobs } from "../shared/knobs";
import { AdvantagePicture } from "./advantage-picture";

function facts(values: Values, totalTimesteps: number): Fact[] {
  const environments = numberOf(values, "n_envs", 1);
  const steps = numberOf(values, "n_steps", 5);
  const rollout = environments * steps;
  return [
    { label: "Rollout", value: count(rollout), note: `${environments} × ${steps} steps` },
    { label: "Updates", value: count(Math.ceil(totalTimesteps / rollout)), note: "one step each" },
    { label: "Each step is used", value: "once", note: "then thrown away" },
  ];
}

const guide: Guide = {
  id: "a2c",
  idea: "Take a few steps in many environments at once, ask which actions did better than expected, make them likelier, and go on.",
  picture: {
    title: "What an advantage is made of",
    invitation:
      "Each bar is how much a reward so many steps ahead counts when an action is judged. Past the rollout's end nothing real is known: the value network guesses.",
    Picture: AdvantagePicture,
  },
  optimises: {
    lead: "The policy gradient: the logarithm of each action's probability, weighted by its advantage.",
    formula: (
      <Formula spoken="The mean of log pi of a given s, times A, plus the entropy bonus, minus the value loss.">
        mean of log π(a|s) · A + ent_coef · entropy − vf_coef · value loss
      </Formula>
    ),
    points: [
      <>
        The <b className="font-medium text-ink">critic</b> learns the value of states, the{" "}
        <b className="font-medium text-ink">actor</b> moves towards actions that beat it.
      </>,
      "Nothing limits how far one update may go: the learning rate alone has to be careful. That limit is what PPO adds.",
    ],
  },
  data: {
    lead: "Its newest few steps, used for one gradient step and thrown away: on-policy.",
    points: [
      <>
        <Name>n_envs</Name> environments run <Name>n_steps</Name> steps, usually only a handful:
        many small updates instead of few large ones.
      </>,
      "More environments make each update less noisy, because their states differ.",
    ],
  },
  facts,
  knobs: [
    knobs.learningRate,
    knobs.environments,
    knobs.rolloutSteps,
    knobs.gamma,
    knobs.gaeLambda,
    knobs.entropyWeight,
    {
      name: "vf_coef",
      does: "Weight of the value loss beside the policy's.",
      more: "a better critic, sooner; it may crowd out the policy where they share layers.",
      less: "the policy leads; advantages stay noisy for longer.",
    },
  ],
  failures: [
    failures.unstable,
    failures.forgetting,
    entropyCollapsed,
    valueLags,
    failures.plateau,
    failures.tooShort,
  ],
  paper: {
    label: "Mnih et al. (2016), Asynchronous Methods for Deep Reinforcement Learning",
    href: "https://arxiv.org/abs/1602.01783",
  },
};

export default function A2cGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
