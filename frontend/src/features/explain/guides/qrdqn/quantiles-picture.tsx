"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { linePath, linspace } from "@/charts/figure-scale";
import { shareText } from "@/lib/number";
import { Stat } from "@/ui/card";
import { numberOf, type PictureProps } from "../../guide/guide";
import { Control, Controls, PictureCaption } from "../../picture/control";
import { PictureLayout } from "../../picture/picture-layout";
import { density, mean, quantiles, RANGE, type Returns, risky, SAFE } from "./quantiles";
import { RunQuantiles } from "./run-quantiles";

const MOST = 50;
const ROW = [0.56, 0.06] as const;

/** Two actions with DQN's estimate of each, a mean, and QR-DQN's, quantiles of the return distribution. */
export function QuantilesPicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const used = numberOf(hyperparameters, "n_quantiles", 200);
  const [count, setCount] = useState(Math.min(used, 20));
  const [risk, setRisk] = useState(0.25);
  const actions: [string, Returns][] = [
    ["safe action", SAFE],
    ["risky action", risky(risk)],
  ];
  const gap = mean(risky(risk)) - mean(SAFE);
  const title =
    Math.abs(gap) < 0.5
      ? "The means are the same; the actions are not."
      : `The ${gap > 0 ? "risky" : "safe"} action is better by ${Math.abs(gap).toFixed(0)} on average.`;
  return (
    <PictureLayout
      picture={
        <>
          <Plot
            label={`Returns of two actions with ${count} quantiles each. ${title}`}
            height={340}
            x={{ domain: RANGE, ticks: linspace(0, 80, 4), label: "return" }}
            y={{ domain: [0, 1], ticks: [], label: "how likely" }}
          >
            {(frame) =>
              actions.map(([name, returns], i) => (
                <Row key={name} frame={frame} at={ROW[i] ?? 0} {...{ name, returns, count }} />
              ))
            }
          </Plot>
          {runId !== null && <RunQuantiles runId={runId} />}
        </>
      }
    >
      <Controls>
        <Control
          label="Quantiles"
          symbol="n_quantiles"
          value={count}
          min={1}
          max={MOST}
          step={1}
          text={String(count)}
          onChange={setCount}
        />
        <Control
          label="Risk that it fails"
          value={risk}
          min={0}
          max={0.6}
          step={0.05}
          text={shareText(risk)}
          onChange={setRisk}
        />
      </Controls>
      <dl className="grid grid-cols-2 gap-4">
        <Stat label="Mean, safe">{mean(SAFE).toFixed(0)}</Stat>
        <Stat label="Mean, risky">{mean(risky(risk)).toFixed(0)}</Stat>
      </dl>
      <PictureCaption title={title}>
        DQN keeps the two means alone. QR-DQN also learns that one action fails {shareText(risk)} of
        the time, though it, too, acts on the mean of its quantiles. Used here: {used}.
      </PictureCaption>
    </PictureLayout>
  );
}

interface RowProps {
  frame: Frame;
  /** Position on the y axis. */
  at: number;
  name: string;
  returns: Returns;
  count: number;
}

const TALLEST = 0.1;
const HEIGHT = 0.36;

function Row({ frame: { x, y }, at, name, returns, count }: RowProps) {
  const base = y(at);
  const hill = linspace(RANGE[0], RANGE[1], 160).map(
    (value) => [x(value), y(at + (HEIGHT * density(returns, value)) / TALLEST)] as const,
  );
  const average = x(mean(returns));
  return (
    <>
      <path
        d={`${linePath([[x(RANGE[0]), base], ...hill, [x(RANGE[1]), base]])}Z`}
        className="fill-series-1/20 stroke-series-1"
      />
      <text x={x(RANGE[0]) + 6} y={base - 10} className="fill-ink font-medium">
        {name}
      </text>
      {quantiles(returns, count).map((value, i) => (
        <line
          key={i}
          x1={x(value)}
          x2={x(value)}
          y1={base - 6}
          y2={base + 7}
          className="stroke-series-1"
          strokeWidth={2}
        />
      ))}
      <line
        x1={average}
        x2={average}
        y1={y(at + HEIGHT)}
        y2={base}
        className="stroke-ink"
        strokeDasharray="4 3"
      />
      <text x={average + 5} y={y(at + HEIGHT) + 8} className="fill-ink">
        mean
      </text>
    </>
  );
}
