"use client";

import { useState } from "react";
import { percent } from "@/lib/format";
import type { PictureProps } from "../../guide/guide";
import { Stat } from "@/components/ui/stat";
import { PictureLayout } from "../../picture/picture-layout";
import { Control, Controls, PictureCaption } from "../../picture/control";
import { type Frame, Plot } from "@/components/figure/plot";
import { linePath, linspace } from "@/components/figure/scale";
import { actionValue, massBetween, softPolicy } from "./soft-policy";

const ACTIONS = linspace(-1, 1, 200);
/** The action between the two peaks of the Q-value. */
const VALLEY = 0.2;

/** The policy that maximises a Q-value with two peaks plus an entropy bonus of adjustable size. */
export function TemperaturePicture({ preset: { hyperparameters } }: PictureProps) {
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
          {(frame) => <Drawing frame={frame} density={density} />}
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
        <Stat label="On the higher peak">{percent(high)}</Stat>
        <Stat label="On the broader peak">{percent(1 - high)}</Stat>
      </dl>
      <PictureCaption title={title}>
        {given === null
          ? "This preset tunes α while it learns, so that entropy stays near a target: minus the number of action dimensions."
          : "This preset keeps α fixed."}{" "}
        While the values are still wrong, staying on both peaks is what saves it.
      </PictureCaption>
    </PictureLayout>
  );
}

function Drawing({ frame: { x, y, bottom }, density }: { frame: Frame; density: number[] }) {
  const most = Math.max(...density, 1.6);
  const hill = density.map(
    (p, i) => [x(ACTIONS[i] ?? 0), bottom - ((bottom - y(1)) * p) / most] as const,
  );
  return (
    <>
      <path
        d={`${linePath([[x(-1), bottom], ...hill, [x(1), bottom]])}Z`}
        className="fill-series-1/20 stroke-series-1"
        strokeWidth={1.5}
      />
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
