"use client";

import { useDeferredValue, useMemo, useState } from "react";
import { count } from "@/lib/number";
import { Stat } from "@/ui/card";
import { Switch } from "@/ui/switch";
import { numberOf, type PictureProps } from "../../guide/guide";
import { Control, Controls, PictureCaption } from "../../picture/control";
import { PictureLayout } from "../../picture/picture-layout";
import { best, learn, type Learning, tile } from "./lake";
import { LakeGrid } from "./lake-grid";
import { RunLake } from "./run-lake";

const PLANNED = 1_000;

/** Q-learning, run in the page: values spread backwards from the goal. */
export function LakePicture({ preset: { hyperparameters }, runId }: PictureProps) {
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
