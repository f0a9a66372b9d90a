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
      ? "No episode has reached the goal yet, so all values are zero."
      : known < 11
        ? `Value has spread to ${known} of 11 cells.`
        : "Every cell has a path to the goal.";
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
          ? "On slippery ice, only one move in three goes in the chosen direction. A small learning rate averages over many outcomes. With a large one, the last outcome dominates."
          : "Each visit moves the value of a cell towards the best value of its neighbours, so values spread backwards from the goal, one cell at a time."}
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

/** The Q-table of a run, if the run trains on the same lake. */
function RunLake({ runId }: { runId: string }) {
  const { data: file } = useQuery(qTableQuery(runId));
  const { data: run } = useQuery(runQuery(runId));
  if (!file?.map || !isTheLake(file.map)) return null;
  const step = count(file.step);
  const isSlippery = run?.env_options?.is_slippery !== false;
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <LakeGrid
        table={file.q}
        label={`The frozen lake with the Q-table of this run at step ${step}`}
      />
      <figcaption className="text-center">
        <RunNote>
          The Q-table of this run, at step {step}
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
  idea: "Keep one value for each action in each state. After every step, move one value towards the observed result: the reward plus the value of the next state.",
  picture: {
    title: "How values spread back from the goal",
    invitation:
      "This picture runs Q-learning on the frozen lake with the hyperparameters shown. Drag the slider to change the number of episodes. A darker cell has a higher value. The arrow is the best action.",
    Picture: LakePicture,
  },
  optimises: {
    lead: "The same target as DQN's, but with a table instead of a network: each update moves one cell of the table towards the target.",
    formula: (
      <Formula spoken="Q of s and a grows by alpha times the difference of r plus gamma times the best value of the next state, and Q of s and a.">
        Q(s, a) += α · (r + γ · max Q(s′, ·) − Q(s, a))
      </Formula>
    ),
    points: [
      "If every action is tried often enough in every state and α falls, Q-learning converges to the optimal policy. No other algorithm on this page has this guarantee.",
      "Q-learning does not generalise from one state to another, so it works only with a small number of discrete states.",
    ],
  },
  data: {
    lead: "Each step is used once, when it happens. No step is stored.",
    points: [
      <>
        The target uses the best next action, even if the agent takes another one. Q-learning
        therefore learns the greedy policy although the agent explores.
      </>,
      <>
        You can view and download the whole table on the run&apos;s page. With an{" "}
        <Name>initial_value</Name> above the highest possible return, the agent tries every action.
      </>,
    ],
  },
  facts,
  knobs: [
    {
      ...knobs.learningRate,
      does: "α: how far a value moves towards its target. “→ 0” means that α falls linearly to zero.",
      more: "learns faster; 1 is best in a deterministic environment.",
      less: "averages over random outcomes, but needs more visits.",
    },
    knobs.gamma,
    knobs.explorationFraction,
    knobs.finalEpsilon,
    {
      name: "initial_value",
      does: "Initial value of every action.",
      more: "explores more: an untried action looks better than one that has been tried.",
      less: "exploration comes from ε alone.",
    },
    knobs.environments,
  ],
  failures: [
    {
      ...failures.flat,
      why: "Random actions never reached the goal, so every value is still the initial one.",
      try: "A larger exploration_fraction, an initial_value above the best return, more timesteps. First solve the version without slippery ice.",
    },
    stillExploring,
    {
      id: "values-jitter",
      title: "Values fluctuate and the policy keeps changing",
      curve: "noise",
      metric: "train/td_error",
      see: "In a stochastic environment, the TD error does not fall and returns fluctuate.",
      why: "With a constant α, values keep following the most recent outcomes and never settle.",
      try: "A smaller learning_rate, or learning_rate_schedule linear.",
    },
    failures.plateau,
    failures.farmed,
    failures.stuck,
    failures.explored,
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
