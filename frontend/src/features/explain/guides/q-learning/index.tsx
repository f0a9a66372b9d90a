"use client";

import { compact, shareText } from "@/lib/number";
import { Formula, Name } from "../../guide/formula";
import { type Fact, type Guide, numberOf, type Values } from "../../guide/guide";
import { GuidePage, type GuideProps } from "../../guide/guide-page";
import { failures, stillExploring } from "../shared/failures";
import { knobs } from "../shared/knobs";
import { LakePicture } from "./lake-picture";

function facts(values: Values, totalTimesteps: number): Fact[] {
  const fraction = numberOf(values, "exploration_fraction", 0.5);
  return [
    { label: "Updates", value: compact(totalTimesteps), note: "one a step" },
    {
      label: "ε falls over",
      value: compact(fraction * totalTimesteps),
      note: `${shareText(fraction)} of all steps`,
    },
    { label: "Each step is used", value: "once", note: "nothing is stored" },
  ];
}

const guide: Guide = {
  id: "q-learning",
  idea: "One number for each action in each state. After every step, move one of them towards what came of it.",
  picture: {
    title: "How value spreads back from the goal",
    invitation:
      "This is Q-learning itself, on the frozen lake, with these numbers. Drag the episodes: the deeper a cell's colour, the more it promises; arrows show what it would do.",
    Picture: LakePicture,
  },
  optimises: {
    lead: "The same target as DQN's, without a network: a cell of a table moves towards it.",
    formula: (
      <Formula spoken="Q of s and a grows by alpha times the difference of r plus gamma times the best value of the next state, and Q of s and a.">
        Q(s, a) += α · (r + γ · max Q(s′, ·) − Q(s, a))
      </Formula>
    ),
    points: [
      "With enough visits to everything and a falling α it finds the best policy: the one algorithm here with such a guarantee.",
      "What it learns in one state says nothing of the next: it works only where states can be counted.",
    ],
  },
  data: {
    lead: "Each step as it happens, once: nothing is stored.",
    points: [
      <>
        The target takes the best next action, whatever is done next, so it learns the greedy policy
        while acting at random with probability ε.
      </>,
      <>
        The whole table can be looked at and downloaded from the run&apos;s page. An{" "}
        <Name>initial_value</Name> above what can be earned makes it try everything once.
      </>,
    ],
  },
  facts,
  knobs: [
    {
      ...knobs.learningRate,
      does: "α: how far a value moves towards its target. “→ 0” falls linearly to zero.",
      more: "fast; right where nothing is random (up to 1).",
      less: "averages over luck, needs more visits.",
    },
    knobs.gamma,
    knobs.explorationFraction,
    knobs.finalEpsilon,
    {
      name: "initial_value",
      does: "Value of what was never tried.",
      more: "curious: everything is tried until it disappoints.",
      less: "only ε explores.",
    },
    knobs.environments,
  ],
  failures: [
    {
      ...failures.flat,
      why: "The goal was never found by chance, so every value is still what it was at the start.",
      try: "A larger exploration_fraction, an initial_value above the best return, more timesteps; solid ground first.",
    },
    stillExploring,
    {
      id: "values-jitter",
      title: "Values jitter and the policy flips",
      curve: "noise",
      metric: "train/td_error",
      see: "The TD error does not fall, and returns swing, in a world with chance in it.",
      why: "A constant α never stops believing the last outcome.",
      try: "A smaller learning_rate, or learning_rate_schedule linear.",
    },
    failures.plateau,
    failures.tooShort,
  ],
  paper: {
    label: "Watkins and Dayan (1992), Q-learning",
    href: "https://doi.org/10.1007/BF00992698",
  },
};

export default function QLearningGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
