"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { linePath, linspace } from "@/charts/figure-scale";
import { count, decimal } from "@/lib/number";
import { Stat } from "@/ui/card";
import { numberOf, type PictureProps } from "../../guide/guide";
import { Control, Controls, PictureCaption } from "../../picture/control";
import { PictureLayout } from "../../picture/picture-layout";
import { RunDistribution } from "../../picture/run-distribution";
import { useNewestUpdate } from "../../picture/use-newest-update";
import {
  ACTIONS,
  choice,
  type Choice,
  type Critics,
  critics,
  lower,
  smoothed,
  truth,
} from "./critics";

/**
 * Two critics with errors: the action that one of them would choose, and that of the smoothed minimum of
 * both.
 */
export function CriticsPicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const newest = useNewestUpdate(runId);
  const [settings, setSettings] = useState<Critics>({
    error: 0.18,
    noise: numberOf(hyperparameters, "target_policy_noise", 0.2),
    clip: numberOf(hyperparameters, "target_noise_clip", 0.5),
  });
  const change = (part: Partial<Critics>) => setSettings({ ...settings, ...part });
  const one = choice((action) => critics[0](action, settings.error));
  const both = smoothed((action) => lower(action, settings), settings);
  const two = choice(both);
  const saved = `One critic promises ${words(one.optimism)} at its best action; the lower of two, smoothed, ${words(two.optimism)}.`;
  return (
    <PictureLayout
      picture={
        <>
          <Plot
            label={`Two critics over the actions. ${saved}`}
            height={340}
            x={{ domain: [-1, 1], ticks: linspace(-1, 1, 4), label: "action" }}
            y={{ domain: [-0.4, 1.2], ticks: linspace(-0.4, 1.2, 4), label: "value of the action" }}
          >
            {(frame) => (
              <Drawing frame={frame} error={settings.error} both={both} one={one} two={two} />
            )}
          </Plot>
          {newest?.td_errors && (
            <RunDistribution label="target less the lower critic" histogram={newest.td_errors}>
              Grey: by how much the critics of this run missed their targets in the newest update
              that was looked into, at step {count(newest.step)}: {decimal(newest.td_errors.mean)} ±{" "}
              {decimal(newest.td_errors.std)}.
            </RunDistribution>
          )}
        </>
      }
    >
      <Controls>
        <Control
          label="Errors of the critics"
          value={settings.error}
          min={0}
          max={0.4}
          step={0.01}
          text={`±${settings.error.toFixed(2)}`}
          onChange={(error) => change({ error })}
        />
        <Control
          label="Smoothing"
          symbol="target_policy_noise"
          value={settings.noise}
          min={0}
          max={0.5}
          step={0.01}
          text={settings.noise.toFixed(2)}
          onChange={(noise) => change({ noise })}
        />
      </Controls>
      <dl className="grid grid-cols-2 gap-4">
        <Stat label="One critic, at its best" note="against the truth">
          {signed(one.optimism)}
        </Stat>
        <Stat label="Lower of two, smoothed" note="against the truth">
          {signed(two.optimism)}
        </Stat>
      </dl>
      <PictureCaption title="The maximum picks the errors that flatter.">
        {saved} Too little is the safer mistake: nothing chases it.
      </PictureCaption>
    </PictureLayout>
  );
}

interface DrawingProps {
  frame: Frame;
  error: number;
  both: (action: number) => number;
  one: Choice;
  two: Choice;
}

function Drawing({ frame: { x, y }, error, both, one, two }: DrawingProps) {
  const path = (value: (action: number) => number) =>
    linePath(ACTIONS.map((action) => [x(action), y(value(action))] as const));
  return (
    <>
      <path d={path(truth)} fill="none" className="stroke-chart-reference" strokeDasharray="5 4" />
      <g fill="none" strokeWidth={1.25}>
        <path d={path((a) => critics[0](a, error))} className="stroke-series-2" />
        <path d={path((a) => critics[1](a, error))} className="stroke-series-6" />
      </g>
      <path d={path(both)} fill="none" className="stroke-chart-mean" strokeWidth={2.5} />
      <Mark
        x={x(one.action)}
        from={y(truth(one.action))}
        to={y(one.promised)}
        className="stroke-series-2"
      />
      <Mark
        x={x(two.action)}
        from={y(truth(two.action))}
        to={y(two.promised)}
        className="stroke-chart-mean"
      />
      <text x={x(one.action)} y={y(one.promised) - 10} textAnchor="middle" className="fill-ink">
        one critic
      </text>
      <text x={x(two.action)} y={y(two.promised) + 20} textAnchor="middle" className="fill-ink">
        lower of two
      </text>
      <text x={x(-0.98)} y={y(truth(-0.98)) + 16} className="fill-ink-soft">
        truth, dashed
      </text>
    </>
  );
}

function Mark({
  x,
  from,
  to,
  className,
}: {
  x: number;
  from: number;
  to: number;
  className: string;
}) {
  return (
    <g className={className} strokeWidth={2}>
      <line x1={x} x2={x} y1={from} y2={to} />
      <circle cx={x} cy={to} r={5} className="fill-raised" />
    </g>
  );
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

function words(optimism: number): string {
  return `${Math.abs(optimism).toFixed(2)} too ${optimism < 0 ? "little" : "much"}`;
}
