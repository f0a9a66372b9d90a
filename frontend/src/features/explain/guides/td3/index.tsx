"use client";

import { Formula, Name } from "../../guide/formula";
import type { Guide } from "../../guide/guide";
import { type GuideProps, GuidePage } from "../../guide/guide-page";
import { divergingLoss, failures } from "../shared/failures";
import { knobs } from "../shared/knobs";
import { replayFacts } from "../shared/replay-facts";
import { CriticsPicture } from "./critics-picture";

const guide: Guide = {
  id: "td3",
  idea: "One action for each state, moved uphill on what a critic thinks of it, with three guards against critics that flatter.",
  picture: {
    title: "Two critics are less gullible than one",
    invitation:
      "Thin lines are two critics with errors of their own; the strong one is the lower of both, smoothed by noise on the action. The dots are the actions each would lead to, the stems how wrong the promise is.",
    Picture: CriticsPicture,
  },
  optimises: {
    lead: "The critic's value of the policy's own action.",
    formula: (
      <Formula spoken="The target is r plus gamma times the lower of two target critics at the target policy's action plus clipped noise.">
        Q(s, a) → r + γ · min(Q₁, Q₂)(s′, μ(s′) + noise)
      </Formula>
    ),
    points: [
      <>
        <b className="font-medium text-ink">Twin critics:</b> the lower of two counts, against
        optimism.
      </>,
      <>
        <b className="font-medium text-ink">Delay:</b> the policy moves once for every{" "}
        <Name>policy_delay</Name> updates of the critics, so that it follows settled values.
      </>,
      <>
        <b className="font-medium text-ink">Smoothing:</b> noise on the target&apos;s action keeps
        the policy off needle-thin peaks.
      </>,
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of its own past: off-policy.",
    points: [
      <>
        The policy is certain of itself: all exploration is <Name>action_noise</Name> added while
        training. Without it nothing new is ever tried.
      </>,
      <>
        The first <Name>learning_starts</Name> actions are uniformly random.
      </>,
    ],
  },
  facts: replayFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "action_noise_std",
      does: "Size of the noise on actions while training; actions reach from −1 to 1.",
      more: "explores further; training returns fall below what the policy can do.",
      less: "stays close to what it knows.",
    },
    {
      name: "policy_delay",
      does: "Updates of the critics for each of the policy.",
      more: "follows surer values, more slowly.",
      less: "quicker; chases the critics' errors.",
    },
    {
      name: "target_policy_noise",
      does: "Noise on the target's action, which smooths the critics.",
      more: "broader, safer peaks; fine control is lost.",
      less: "sharper values, more easily fooled.",
    },
    knobs.tau,
    knobs.batchSize,
    knobs.bufferSize,
    knobs.learningStarts,
    knobs.gradientSteps,
    knobs.gamma,
    knobs.returnSteps,
  ],
  failures: [
    failures.flat,
    { ...divergingLoss, metric: "train/critic_loss" },
    {
      id: "saturated",
      title: "The policy sticks to extremes",
      curve: "flat",
      metric: "train/actor_loss",
      see: "The actor's loss falls on and on while the return stays poor; actions lie at −1 or 1.",
      why: "The critics promise more and more outside what was ever tried, and the policy follows.",
      try: "A lower learning rate, more learning_starts, more action_noise_std; or SAC.",
    },
    failures.plateau,
    failures.forgetting,
    failures.tooShort,
  ],
  paper: {
    label:
      "Fujimoto et al. (2018), Addressing Function Approximation Error in Actor-Critic Methods",
    href: "https://arxiv.org/abs/1802.09477",
  },
};

export default function Td3Guide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
