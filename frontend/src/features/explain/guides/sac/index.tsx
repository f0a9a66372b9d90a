"use client";

import { Formula, Name } from "../../guide/formula";
import type { Guide } from "../../guide/guide";
import { type GuideProps, GuidePage } from "../../guide/guide-page";
import { divergingLoss, failures } from "../shared/failures";
import { knobs } from "../shared/knobs";
import { replayFacts } from "../shared/replay-facts";
import { TemperaturePicture } from "./temperature-picture";

const guide: Guide = {
  id: "sac",
  idea: "Seek reward and randomness together: act as randomly as is affordable, and learn from everything ever seen.",
  picture: {
    title: "What randomness is worth",
    invitation:
      "The dashed line is what actions are worth, the filled hill how likely the policy takes them. Cool it down and it commits; heat it up and it keeps every option.",
    Picture: TemperaturePicture,
  },
  optimises: {
    lead: "Return plus entropy: every step pays its reward and a bonus for having been unsure.",
    formula: (
      <Formula spoken="The mean over time of the reward plus alpha times the entropy of the policy.">
        sum of r + α · entropy(π(·|s))
      </Formula>
    ),
    points: [
      <>
        α, the <Name>ent_coef</Name>, is tuned while it learns unless a preset fixes it: entropy is
        held near a target.
      </>,
      "Two critics learn the value of actions; the lower of the two counts, against optimism.",
      "The policy outputs a bell curve squeezed into −1 to 1; evaluation takes its middle.",
    ],
  },
  data: {
    lead: "Batches drawn at random from a replay buffer of its own past: off-policy.",
    points: [
      "Usually one gradient step for each environment step: frugal with experience, hungry for time.",
      <>
        The first <Name>learning_starts</Name> actions are uniformly random.
      </>,
    ],
  },
  facts: replayFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "ent_coef",
      does: "α: what randomness is worth; none: tuned while it learns.",
      more: "explores longer; too much, and reward hardly matters.",
      less: "commits sooner, perhaps to the wrong peak.",
    },
    knobs.tau,
    knobs.batchSize,
    knobs.bufferSize,
    knobs.learningStarts,
    knobs.trainFreq,
    knobs.gradientSteps,
    knobs.gamma,
    knobs.returnSteps,
  ],
  failures: [
    { ...divergingLoss, metric: "train/critic_loss" },
    {
      id: "entropy-weight-vanishes",
      title: "α falls to nothing early",
      curve: "collapse",
      metric: "train/ent_coef",
      see: "ent_coef drops below 0.001 while the return is still poor.",
      why: "The tuning takes the policy for random enough; it then stops exploring.",
      try: "A fixed ent_coef (0.05 to 0.2), a larger learning_starts, or rewards on a smaller scale (normalize_rewards).",
    },
    failures.flat,
    failures.plateau,
    failures.forgetting,
    failures.tooShort,
  ],
  paper: {
    label: "Haarnoja et al. (2018), Soft Actor-Critic Algorithms and Applications",
    href: "https://arxiv.org/abs/1812.05905",
  },
};

export default function SacGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
