"use client";

import { Formula, Name } from "../../guide/formula";
import type { Guide } from "../../guide/guide";
import { type GuideProps, GuidePage } from "../../guide/guide-page";
import { entropyCollapsed, failures, valueLags } from "../shared/failures";
import { knobs } from "../shared/knobs";
import { ClippedPicture } from "./clipped-picture";
import { ppoFacts } from "./facts";

const guide: Guide = {
  id: "ppo",
  idea: "Use each batch of fresh experience for several gradient steps, but let no action's probability move far from where it was when the batch was collected.",
  picture: {
    title: "The clipped objective of one sample",
    invitation:
      "Drag the blue points: r is how likely the action has become, A how much better it turned out than expected. Watch where the line goes flat, and on which side it never does.",
    Picture: ClippedPicture,
  },
  optimises: {
    lead: "The clipped objective: make good actions likelier and bad ones rarer, as far as the data speaks for it.",
    formula: (
      <Formula spoken="The mean of the smaller of r times A, and r clipped to one plus or minus epsilon times A.">
        mean of min( r·A, clip(r, 1 − ε, 1 + ε)·A )
      </Formula>
    ),
    points: [
      <>
        <b className="font-medium text-ink">r</b> is the action&apos;s new probability over its old
        one; <b className="font-medium text-ink">A</b>, the advantage, how much better it turned out
        than the value network expected.
      </>,
      "Past 1 ± ε on the winning side the objective is flat: the sample has had its say. On the losing side it keeps pulling back.",
      <>
        Beside it the value network learns the return (<Name>vf_coef</Name>), and an entropy bonus (
        <Name>ent_coef</Name>) can keep the policy random.
      </>,
    ],
  },
  data: {
    lead: "Its own newest experience, used a few times and thrown away: on-policy.",
    points: [
      <>
        <Name>n_envs</Name> environments run <Name>n_steps</Name> steps each. That rollout is all
        one update sees.
      </>,
      "Old experience cannot be reused: r compares with the policy that collected it. So PPO needs many steps, and makes each cheap.",
    ],
  },
  facts: ppoFacts,
  knobs: [
    knobs.learningRate,
    {
      name: "clip_range",
      does: "ε: how far an action's probability may move in one update, as a ratio.",
      more: "bigger steps; more can go wrong in one.",
      less: "careful steps; more updates to get anywhere.",
    },
    knobs.environments,
    knobs.rolloutSteps,
    {
      name: "n_epochs",
      does: "Times each rollout is gone through.",
      more: "learns more from each step; drifts further from the data (watch approx_kl).",
      less: "safer; wastes experience.",
    },
    knobs.batchSize,
    knobs.gamma,
    knobs.gaeLambda,
    knobs.entropyWeight,
    {
      name: "target_kl",
      does: "Ends an update early once the policy has moved this far; none: never.",
      more: "seldom ends an update.",
      less: "keeps every update small, whatever the epochs.",
    },
  ],
  failures: [
    entropyCollapsed,
    {
      id: "kl-spikes",
      title: "approx_kl spikes",
      curve: "spikes",
      metric: "train/approx_kl",
      see: "Single updates move the policy many times further than usual; the return often dips after.",
      why: "Too many or too large gradient steps on one rollout. The clip slows single actions, not the whole policy.",
      try: "Set target_kl (0.01 to 0.03), lower learning_rate or n_epochs, let the rate fall to zero.",
    },
    {
      id: "clip-fraction-high",
      title: "Most of the batch is clipped",
      curve: "rising",
      metric: "train/clip_fraction",
      see: "More than a third of samples lie outside 1 ± ε by the end of their epochs.",
      why: "The later epochs push against the clip: many samples have nothing left to say.",
      try: "Fewer n_epochs, a lower learning rate, larger minibatches.",
    },
    valueLags,
    failures.plateau,
    failures.forgetting,
    failures.tooShort,
    failures.unstable,
  ],
  paper: {
    label: "Schulman et al. (2017), Proximal Policy Optimization Algorithms",
    href: "https://arxiv.org/abs/1707.06347",
  },
};

export default function PpoGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
