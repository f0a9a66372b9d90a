"use client";

import { useState } from "react";
import { Plot } from "@/charts/figure";
import { linspace } from "@/charts/figure-scale";
import { count, shareText } from "@/lib/number";
import { numberOf, type PictureProps } from "../../guide/guide";
import { Control, Controls, PictureCaption } from "../../picture/control";
import { PictureLayout } from "../../picture/picture-layout";
import { RunDistribution } from "../../picture/run-distribution";
import { useNewestUpdate } from "../../picture/use-newest-update";
import { type Estimate, horizon, reached, weights } from "./weights";

const SHOWN = 40;
const MOST_STEPS = 32;

/** How far ahead the advantage estimate looks, and from where on it relies on the value network. */
export function AdvantagePicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const newest = useNewestUpdate(runId);
  const [estimate, setEstimate] = useState<Estimate>({
    gamma: numberOf(hyperparameters, "gamma", 0.99),
    lambda: numberOf(hyperparameters, "gae_lambda", 1),
    steps: Math.min(numberOf(hyperparameters, "n_steps", 5), MOST_STEPS),
  });
  const change = (part: Partial<Estimate>) => setEstimate({ ...estimate, ...part });
  const { gamma, lambda, steps } = estimate;
  const said = `Real rewards carry ${shareText(reached(estimate))} of the weight they could have; the value network guesses the rest.`;
  return (
    <PictureLayout
      picture={
        <>
          <Plot
            label={`Weight of each step ahead in the advantage. ${said}`}
            height={320}
            x={{ domain: [-0.5, SHOWN - 0.5], ticks: linspace(0, 35, 7), label: "steps ahead" }}
            y={{ domain: [0, 1.15], ticks: linspace(0, 1, 4), label: "weight (γλ)ᵏ" }}
          >
            {({ x, y, top, bottom, right }) => {
              const width = Math.max((x(1) - x(0)) * 0.7, 1);
              return (
                <>
                  <rect
                    x={x(steps - 0.5)}
                    width={Math.max(right - x(steps - 0.5), 0)}
                    y={top}
                    height={bottom - top}
                    className="fill-rest-tint"
                  />
                  <text x={x(steps - 0.5) + 8} y={top + 16} className="fill-ink-soft">
                    guessed by the value network
                  </text>
                  {weights(estimate, SHOWN).map((weight, k) => (
                    <rect
                      key={k}
                      x={x(k) - width / 2}
                      y={y(weight)}
                      width={width}
                      height={bottom - y(weight)}
                      className={k < steps ? "fill-series-1" : "fill-none stroke-control-line"}
                    />
                  ))}
                </>
              );
            }}
          </Plot>
          {newest?.advantages && (
            <RunDistribution label="advantage" histogram={newest.advantages}>
              Grey: the advantages of the newest update of this run that was looked into, at step{" "}
              {count(newest.step)}, before they are normalised.
            </RunDistribution>
          )}
        </>
      }
    >
      <Controls>
        <Control
          label="Rollout"
          symbol="n_steps"
          value={steps}
          min={1}
          max={MOST_STEPS}
          step={1}
          text={String(steps)}
          onChange={(next) => change({ steps: next })}
        />
        <Control
          label="Discount"
          symbol="γ"
          value={gamma}
          min={0.8}
          max={1}
          step={0.005}
          text={gamma.toFixed(3)}
          onChange={(next) => change({ gamma: next })}
        />
        <Control
          label="GAE"
          symbol="λ"
          value={lambda}
          min={0}
          max={1}
          step={0.05}
          text={lambda.toFixed(2)}
          onChange={(next) => change({ lambda: next })}
        />
      </Controls>
      <PictureCaption
        title={`It sees about ${horizon(estimate).toFixed(1)} steps of real rewards.`}
      >
        {said}{" "}
        {reached(estimate) < 0.3
          ? "Estimates are calm, but only as good as that network."
          : "Estimates owe less to that network, and vary more from rollout to rollout."}
      </PictureCaption>
    </PictureLayout>
  );
}
