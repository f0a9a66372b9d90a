"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { linePath, linspace } from "@/charts/figure-scale";
import { count, decimal, shareText } from "@/lib/number";
import { Stat } from "@/ui/card";
import type { PictureProps } from "../../guide/guide";
import { Control, Controls, PictureCaption } from "../../picture/control";
import { PictureLayout } from "../../picture/picture-layout";
import { useRunPoints } from "../../picture/run-curve";
import { RunNote } from "../../picture/run-note";
import { actionValue, massBetween, softPolicy } from "./soft-policy";

const ACTIONS = linspace(-1, 1, 200);
/** The action between the two peaks of the Q-value. */
const VALLEY = 0.2;

/** The policy that maximises a Q-value with two peaks plus an entropy bonus of adjustable size. */
export function TemperaturePicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const newest = useRunPoints(runId, "train/ent_coef").at(-1);
  const given = hyperparameters.ent_coef;
  const [power, setPower] = useState(() =>
    typeof given === "number" && given > 0 ? Math.log10(given) : -0.7,
  );
  const alpha = 10 ** power;
  const { density, entropy, value } = softPolicy(ACTIONS, alpha);
  const high = massBetween(ACTIONS, density, VALLEY, 1);
  const title =
    high > 0.9
      ? "It has committed to the higher peak."
      : high < 0.5
        ? "It prefers the broad peak, and tries everything."
        : "It prefers the higher peak, and still tries the other.";
  return (
    <PictureLayout
      picture={
        <Plot
          label={`Value and probability of each action at temperature ${alpha.toFixed(2)}. ${title}`}
          height={340}
          x={{ domain: [-1, 1], ticks: linspace(-1, 1, 4), label: "action" }}
          y={{ domain: [0, 1.2], ticks: linspace(0, 1, 4), label: "value of the action" }}
        >
          {(frame) => (
            <>
              {newest && newest[1] > 0 && (
                <Hill frame={frame} density={softPolicy(ACTIONS, newest[1]).density} measured />
              )}
              <Drawing frame={frame} density={density} />
            </>
          )}
        </Plot>
      }
    >
      <Controls>
        <Control
          label="Temperature"
          symbol="α = ent_coef"
          value={power}
          min={-2}
          max={0.5}
          step={0.05}
          text={alpha.toFixed(alpha < 0.1 ? 3 : 2)}
          onChange={setPower}
        />
      </Controls>
      <dl className="grid grid-cols-2 gap-4">
        <Stat label="Entropy">{entropy.toFixed(2)} nats</Stat>
        <Stat label="Expected value">{value.toFixed(2)}</Stat>
        <Stat label="On the higher peak">{shareText(high)}</Stat>
        <Stat label="On the broader peak">{shareText(1 - high)}</Stat>
      </dl>
      <PictureCaption title={title}>
        {given === null
          ? "Here α is tuned while it learns, so that entropy stays near a target: minus the number of action dimensions."
          : "Here α stays as it is."}{" "}
        While the values are still wrong, staying on both peaks is what saves it.
      </PictureCaption>
      {newest && (
        <RunNote>
          Grey: the policy for these values at the temperature α of this run, {decimal(newest[1])}{" "}
          at step {count(newest[0])}.
        </RunNote>
      )}
    </PictureLayout>
  );
}

interface DensityProps {
  frame: Frame;
  density: readonly number[];
}

/** A policy as a hill over the actions; `measured`: at the temperature of a run. */
function Hill({ frame: { x, y, bottom }, density, measured }: DensityProps & { measured?: true }) {
  const most = Math.max(...density, 1.6);
  const hill = density.map(
    (p, i) => [x(ACTIONS[i] ?? 0), bottom - ((bottom - y(1)) * p) / most] as const,
  );
  return (
    <path
      d={`${linePath([[x(-1), bottom], ...hill, [x(1), bottom]])}Z`}
      className={measured ? "fill-chart-raw" : "fill-series-1/20 stroke-series-1"}
      opacity={measured && 0.55}
      strokeWidth={1.5}
    />
  );
}

function Drawing({ frame, density }: DensityProps) {
  const { x, y } = frame;
  return (
    <>
      <Hill frame={frame} density={density} />
      <path
        d={linePath(ACTIONS.map((a) => [x(a), y(actionValue(a))] as const))}
        fill="none"
        className="stroke-series-2"
        strokeWidth={2}
        strokeDasharray="8 4"
      />
      <text x={x(-0.45)} y={y(0.8) - 8} textAnchor="middle" className="fill-ink-soft">
        value Q(a), dashed
      </text>
      <text x={x(0.72)} y={y(0.5)} className="fill-ink-soft">
        policy π(a), filled
      </text>
    </>
  );
}
