"use client";

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { qTableQuery } from "@/api/run-record";
import { runQuery } from "@/api/runs";
import { compact, count, shareText } from "@/lib/number";
import { Stat } from "@/ui/card";
import { Switch } from "@/ui/switch";
import { type Fact, type Guide, numberOf, type PictureProps, type Values } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, PictureCaption, PictureLayout, RunNote } from "../picture";
import { best, isTheLake, learn, type Learning, SIZE, STATES, tile } from "./lake";
import { failures, knobs, stillExploring } from "./shared";

const PLANNED = 1_000;

/** Q-learning, run in the page: values spread backwards from the goal. */
function LakePicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const [settings, setSettings] = useState<Learning>({
    episodes: 60,
    alpha: numberOf(hyperparameters, "learning_rate", 0.1),
    gamma: numberOf(hyperparameters, "gamma", 0.99),
    initialEps: numberOf(hyperparameters, "exploration_initial_eps", 1),
    finalEps: numberOf(hyperparameters, "exploration_final_eps", 0.05),
    fraction: numberOf(hyperparameters, "exploration_fraction", 0.5),
    plannedEpisodes: PLANNED,
    slippery: false,
  });
  const change = (part: Partial<Learning>) => setSettings({ ...settings, ...part });
  const shown = useDeferredValue(settings);
  const { table, reached } = useMemo(() => learn(shown), [shown]);
  const known = table.filter((row, s) => best(row) > 0 && !"HG".includes(tile(s))).length;
  const title =
    reached === 0
      ? "The goal has not been found: there is nothing to learn from."
      : known < 11
        ? `Value has spread to ${known} of 11 cells.`
        : "Every cell knows a way.";
  return (
    <PictureLayout
      picture={
        <div className="grid auto-cols-fr gap-4 sm:grid-flow-col">
          <LakeGrid
            table={table}
            label={`The frozen lake after ${count(settings.episodes)} episodes. ${title}`}
          />
          {runId !== null && <RunLake runId={runId} />}
        </div>
      }
    >
      <Controls>
        <Control
          label="Episodes"
          value={settings.episodes}
          min={0}
          max={PLANNED}
          step={10}
          text={count(settings.episodes)}
          onChange={(episodes) => change({ episodes })}
        />
        <Control
          label="Learning rate"
          symbol="α"
          value={settings.alpha}
          min={0.02}
          max={1}
          step={0.02}
          text={settings.alpha.toFixed(2)}
          onChange={(alpha) => change({ alpha })}
        />
        <Control
          label="Discount"
          symbol="γ"
          value={settings.gamma}
          min={0.5}
          max={1}
          step={0.01}
          text={settings.gamma.toFixed(2)}
          onChange={(gamma) => change({ gamma })}
        />
      </Controls>
      <Switch
        label="Slippery ice"
        checked={settings.slippery}
        onChange={(slippery) => change({ slippery })}
      />
      <dl className="grid grid-cols-2 gap-4">
        <Stat label="Goals reached">{count(reached)}</Stat>
        <Stat label="Value of the start">{best(table[0] ?? []).toFixed(3)}</Stat>
      </dl>
      <PictureCaption title={title}>
        {settings.slippery
          ? "On ice a move goes as meant one time in three: small learning rates average over luck, large ones believe the last slip."
          : "Each visit pulls a cell towards the best of its neighbours, so value walks back from the goal one cell at a time."}
      </PictureCaption>
    </PictureLayout>
  );
}

const CELL = 76;
const TURN = [180, 90, 0, 270];

/** The Q-table as a map: a cell's colour is the value of its best action, the arrow is that action. */
function LakeGrid({ table, label }: { table: readonly number[][]; label: string }) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${SIZE * CELL} ${SIZE * CELL}`}
      className="mx-auto block w-full max-w-88"
    >
      {Array.from({ length: STATES }, (_, state) => (
        <Cell key={state} state={state} row={table[state] ?? []} />
      ))}
    </svg>
  );
}

function Cell({ state, row }: { state: number; row: readonly number[] }) {
  const kind = tile(state);
  const value = best(row);
  const ends = kind === "H" || kind === "G";
  return (
    <g transform={`translate(${(state % SIZE) * CELL} ${Math.floor(state / SIZE) * CELL})`}>
      <rect
        x={2}
        y={2}
        width={CELL - 4}
        height={CELL - 4}
        rx={6}
        className={kind === "H" ? "fill-rest-tint stroke-line" : "fill-surface stroke-line-strong"}
      />
      {!ends && value > 0 && (
        <rect
          x={2}
          y={2}
          width={CELL - 4}
          height={CELL - 4}
          rx={6}
          className="fill-accent"
          opacity={0.08 + 0.3 * Math.min(value, 1)}
        />
      )}
      <text x={10} y={19} className="fill-ink-soft text-2xs">
        {{ S: "start", F: "", H: "hole", G: "goal" }[kind]}
      </text>
      {kind === "H" && (
        <circle cx={CELL / 2} cy={CELL / 2 + 3} r={15} className="fill-line-strong" />
      )}
      {kind === "G" && (
        <path
          d="M32 56V26l18 8-18 8"
          className="fill-good-tint stroke-good"
          strokeWidth={2.5}
          strokeLinejoin="round"
        />
      )}
      {!ends && value > 0 && (
        <path
          d="M-15 0H13M5 -8L14 0 5 8"
          transform={`translate(${CELL / 2} ${CELL / 2 - 3}) rotate(${TURN[row.indexOf(value)] ?? 0})`}
          fill="none"
          className="stroke-ink"
          strokeWidth={2.5}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
      {!ends && (
        <text
          x={CELL / 2}
          y={CELL - 11}
          textAnchor="middle"
          className="fill-ink text-2xs tabular-nums"
        >
          {value.toFixed(2)}
        </text>
      )}
    </g>
  );
}

/** The table that a run has learned, if it trains on the same lake. */
function RunLake({ runId }: { runId: string }) {
  const { data: file } = useQuery(qTableQuery(runId));
  const { data: run } = useQuery(runQuery(runId));
  if (!file?.map || !isTheLake(file.map)) return null;
  const step = count(file.step);
  const isSlippery = run?.env_options?.is_slippery !== false;
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <LakeGrid table={file.q} label={`The frozen lake as this run knows it at step ${step}`} />
      <figcaption className="text-center">
        <RunNote>
          The table of this run, at step {step}
          {run && `, on ${isSlippery ? "slippery ice" : "ice that is not slippery"}`}.
        </RunNote>
      </figcaption>
    </figure>
  );
}

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
