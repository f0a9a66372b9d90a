"use client";

import { useId, useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { linspace } from "@/charts/figure-scale";
import { count, shareText } from "@/lib/number";
import { type Fact, type Guide, numberOf, type PictureProps, type Values } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, PictureCaption, PictureLayout, RunNote } from "../picture";
import { useRunPoints } from "../run-picture";
import { entropyCollapsed, failures, knobs, stillTap, valueLags } from "./shared";

/** Half the width and half the height of the picture in parameters, chosen so that circles are round. */
const REACH = { x: 0.28, y: 0.25 };
const DEGREE = Math.PI / 180;

/** The largest natural gradient step within the trust region, and the plain gradient's. */
function RegionPicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const newest = useRunPoints(runId, "train/kl_divergence_loss").at(-1);
  const [region, setRegion] = useState<Region>({
    delta: numberOf(hyperparameters, "target_kl", 0.01),
    angle: 35 * DEGREE,
    skew: 6,
  });
  const change = (part: Partial<Region>) => setRegion({ ...region, ...part });
  const gain = promise(region, naturalStep(region)) / promise(region, plainStep(region)) - 1;
  return (
    <PictureLayout
      picture={
        <div className="mx-auto max-w-104">
          <Plot
            label={`Two steps on the edge of the trust region. The predicted improvement of the natural step is ${shareText(gain)} larger than that of the plain one.`}
            height={380}
            x={{
              domain: [-REACH.x, REACH.x],
              ticks: linspace(-0.2, 0.2, 4),
              label: "first parameter",
            }}
            y={{
              domain: [-REACH.y, REACH.y],
              ticks: linspace(-0.2, 0.2, 4),
              label: "second parameter",
            }}
          >
            {(frame) => (
              <>
                <Drawing frame={frame} region={region} />
                {newest && (
                  <MeasuredRegion frame={frame} region={{ ...region, delta: newest[1] }} />
                )}
              </>
            )}
          </Plot>
        </div>
      }
    >
      <Controls>
        <Control
          label="KL limit"
          symbol="target_kl"
          value={region.delta}
          min={0.001}
          max={0.03}
          step={0.001}
          text={region.delta.toFixed(3)}
          onChange={(delta) => change({ delta })}
        />
        <Control
          label="Direction of the gradient"
          value={Math.round(region.angle / DEGREE)}
          min={0}
          max={360}
          step={5}
          text={`${Math.round(region.angle / DEGREE)}°`}
          onChange={(degrees) => change({ angle: degrees * DEGREE })}
        />
        <Control
          label="Sensitivity ratio"
          symbol="F"
          value={region.skew}
          min={1}
          max={12}
          step={0.5}
          text={`${region.skew} : 1`}
          onChange={(skew) => change({ skew })}
        />
      </Controls>
      <PictureCaption title={`The natural step improves the objective by ${shareText(gain)} more.`}>
        {region.skew === 1
          ? "Both parameters affect the policy equally, so the plain gradient is the best direction."
          : "Both steps change the policy by the same amount. The natural step moves further along the parameter to which the policy is less sensitive."}
      </PictureCaption>
      {newest && (
        <RunNote>
          {newest[1] > 0 ? "Grey line: the" : "The"} KL divergence of the newest update of this run,{" "}
          {newest[1].toFixed(4)} at step {count(newest[0])}
          {newest[1] > 0 ? "." : ": the line search found no step that improves the objective."}
        </RunNote>
      )}
    </PictureLayout>
  );
}

/** All steps that change the policy as much as an update of a run did, clipped at the edges of the picture. */
function MeasuredRegion({ frame: { x, y, ...edge }, region }: { frame: Frame; region: Region }) {
  const clip = useId();
  if (!(region.delta > 0)) return null;
  const [rx, ry] = radii(region);
  return (
    <>
      <clipPath id={clip}>
        <rect
          x={edge.left}
          y={edge.top}
          width={edge.right - edge.left}
          height={edge.bottom - edge.top}
        />
      </clipPath>
      <ellipse
        clipPath={`url(#${clip})`}
        cx={x(0)}
        cy={y(0)}
        rx={x(rx) - x(0)}
        ry={y(0) - y(ry)}
        fill="none"
        className="pointer-events-none stroke-ink-faint"
        strokeWidth={2}
      />
    </>
  );
}

function Drawing({ frame: { x, y }, region }: { frame: Frame; region: Region }) {
  const [rx, ry] = radii(region);
  const plain = plainStep(region);
  const natural = naturalStep(region);
  return (
    <>
      <ellipse
        cx={x(0)}
        cy={y(0)}
        rx={x(rx) - x(0)}
        ry={y(0) - y(ry)}
        className="fill-accent-tint stroke-accent"
        strokeDasharray="6 4"
      />
      <text x={x(0)} y={y(ry) - 8} textAnchor="middle" className="fill-ink-soft">
        KL = {region.delta.toFixed(3)}
      </text>
      <Step frame={{ x, y }} to={plain} className="stroke-chart-reference" dash="5 4" />
      <Step frame={{ x, y }} to={natural} className="stroke-chart-mean" />
      <text x={x(plain[0]) + 8} y={y(plain[1])} className="fill-ink-soft">
        gradient
      </text>
      <text x={x(natural[0]) + 8} y={y(natural[1]) + 4} className="fill-ink font-medium">
        natural step
      </text>
      <circle cx={x(0)} cy={y(0)} r={4} className="fill-ink" />
    </>
  );
}

interface StepProps {
  frame: Pick<Frame, "x" | "y">;
  to: Vector;
  className: string;
  dash?: string;
}

function Step({ frame: { x, y }, to, className, dash }: StepProps) {
  return (
    <>
      <line
        x1={x(0)}
        y1={y(0)}
        x2={x(to[0])}
        y2={y(to[1])}
        className={className}
        strokeWidth={2.5}
        strokeDasharray={dash}
      />
      <circle
        cx={x(to[0])}
        cy={y(to[1])}
        r={5}
        className={`fill-raised ${className}`}
        strokeWidth={2}
      />
    </>
  );
}

export type Vector = readonly [number, number];

interface Region {
  /** δ, TRPO's `target_kl`. */
  delta: number;
  /** Direction of the gradient in radians. */
  angle: number;
  /** How many times more sensitive the policy is to the first parameter than to the second. */
  skew: number;
}

/** Diagonal of the Fisher matrix: KL(d) ≈ ½ dᵀFd. */
function fisher({ skew }: Region): Vector {
  return [skew, 1];
}

export function divergence(region: Region, [x, y]: Vector): number {
  const [fx, fy] = fisher(region);
  return (fx * x * x + fy * y * y) / 2;
}

/** Semi-axes of the ellipse on which the KL divergence is `delta`. */
function radii(region: Region): Vector {
  const [fx, fy] = fisher(region);
  return [Math.sqrt((2 * region.delta) / fx), Math.sqrt((2 * region.delta) / fy)];
}

/** The gradient, normalised to length 1. */
function gradient({ angle }: Region): Vector {
  return [Math.cos(angle), Math.sin(angle)];
}

/** The step along the gradient that reaches the boundary of the trust region. */
export function plainStep(region: Region): Vector {
  return toEdge(region, gradient(region));
}

/**
 * The step along F⁻¹g that reaches the boundary. To first order, no step within the region improves more
 * (Schulman et al., 2015, appendix C).
 */
export function naturalStep(region: Region): Vector {
  const [gx, gy] = gradient(region);
  const [fx, fy] = fisher(region);
  return toEdge(region, [gx / fx, gy / fy]);
}

/** The improvement of a step by the linear model, gᵀd. */
export function promise(region: Region, [x, y]: Vector): number {
  const [gx, gy] = gradient(region);
  return gx * x + gy * y;
}

function toEdge(region: Region, direction: Vector): Vector {
  const stretch = Math.sqrt(region.delta / divergence(region, direction));
  return [direction[0] * stretch, direction[1] * stretch];
}

function facts(values: Values, totalTimesteps: number): Fact[] {
  const environments = numberOf(values, "n_envs", 1);
  const steps = numberOf(values, "n_steps", 2048);
  const rollout = environments * steps;
  return [
    { label: "Rollout", value: count(rollout), note: `${environments} × ${count(steps)} steps` },
    { label: "Policy steps", value: count(Math.ceil(totalTimesteps / rollout)), note: "one each" },
    {
      label: "Critic passes each",
      value: count(numberOf(values, "n_critic_updates", 10)),
      note: "over the rollout",
    },
  ];
}

const guide: Guide = {
  id: "trpo",
  idea: "In each update, take the largest step that keeps the policy within a fixed KL divergence of the policy that collected the data.",
  picture: {
    title: "The trust region",
    invitation:
      "Inside the ellipse, the KL divergence is within the limit. Rotate the gradient and change the sensitivity ratio: how much more the first parameter affects the policy than the second. The best step rarely follows the plain gradient.",
    Picture: RegionPicture,
  },
  optimises: {
    lead: "The expected advantage, with a hard limit on the change of the policy.",
    formula: (
      <Formula spoken="Maximise the mean of r times A, while the mean divergence from the old policy is at most delta.">
        max mean of r·A while KL(π_old, π) ≤ δ
      </Formula>
    ),
    points: [
      "The limit is on the policy's action probabilities, not on its parameters. The natural gradient converts this limit into a step of the parameters.",
      <>
        The conjugate gradient method finds the direction (<Name>cg_max_steps</Name>). The step
        length comes from a line search, which shortens the step until the KL limit holds and the
        objective has improved.
      </>,
      "PPO replaces all of this with clipping: simpler and cheaper, but without the guarantee.",
    ],
  },
  data: {
    lead: "The policy's own newest experience, used for one policy step and then discarded: TRPO is on-policy.",
    points: [
      <>
        <Name>n_envs</Name> × <Name>n_steps</Name> transitions make one rollout. Larger rollouts
        give a more accurate KL estimate.
      </>,
      "Only the critic makes several passes over the rollout.",
    ],
  },
  facts,
  knobs: [
    {
      name: "target_kl",
      does: "δ: maximum KL divergence between the old and the new policy in one update.",
      more: "faster learning, until the new policy differs too much from the one that collected the data.",
      less: "improvement is almost certain, but the steps are small.",
    },
    knobs.environments,
    knobs.rolloutSteps,
    { ...knobs.learningRate, does: "Learning rate of the critic. The policy does not use it." },
    {
      name: "n_critic_updates",
      does: "Passes of the critic over each rollout.",
      more: "better advantages, slower updates.",
      less: "less computing time, but less accurate advantages.",
    },
    {
      name: "cg_max_steps",
      does: "Steps of the conjugate gradient method, which finds the direction of the update.",
      more: "a more accurate direction; takes longer.",
      less: "a direction closer to the plain gradient.",
    },
    knobs.gamma,
    knobs.gaeLambda,
  ],
  failures: [
    {
      id: "line-search-fails",
      title: "The line search fails",
      curve: "spikes",
      metric: "train/is_line_search_success",
      see: "The value repeatedly drops from 1 to 0: updates are discarded and the return stops rising.",
      why: "Advantages are so noisy that no shortened step improves the objective within the limit.",
      try: "Longer rollouts, more n_critic_updates, a smaller target_kl.",
    },
    valueLags,
    entropyCollapsed,
    failures.plateau,
    failures.farmed,
    failures.stuck,
    failures.explored,
    stillTap,
    failures.tooShort,
    failures.unstable,
  ],
  paper: {
    label: "Schulman et al. (2015), Trust Region Policy Optimization",
    href: "https://arxiv.org/abs/1502.05477",
  },
};

export default function TrpoGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
