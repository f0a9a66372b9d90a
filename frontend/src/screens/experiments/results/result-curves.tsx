"use client";

import { useMemo } from "react";
import { madeTexts } from "@/api/method-text";
import type { ExperimentResults } from "@/api/types";
import { BandedCurves } from "@/charts/banded-curves";
import { plural } from "@/lib/number";
import { labelsOf, placesOf } from "./method-table";

/** The learning curve of each variant with its band; of several environments a chart each. */
export function ResultCurves({ results }: { results: ExperimentResults }) {
  const environments = [...new Set(results.variants.map(({ environment }) => environment))];
  return environments.map((environment) => (
    <EnvironmentCurves
      key={environment}
      {...{ results, environment }}
      title={`Learning curves${environments.length > 1 ? ` on ${environment}` : ""}`}
    />
  ));
}

interface EnvironmentCurvesProps {
  results: ExperimentResults;
  environment: string;
  title: string;
}

function EnvironmentCurves({ results, environment, title }: EnvironmentCurvesProps) {
  const { variants } = results;
  const threshold = variants.find((one) => one.environment === environment)?.threshold;
  const curves = useMemo(() => curvesOn(results, environment), [results, environment]);
  const lines = useMemo(() => {
    const label = labelsOf(variants);
    const place = placesOf(variants);
    return curves.variants.map(({ variant, seeds, iqm, low, high, count }) => ({
      ...{ id: variant, label: label(variant), place: place(variant), iqm, low, high },
      ...{ of: seeds, one: "seed" as const, count },
    }));
  }, [curves, variants]);
  const label = labelsOf(variants);
  const leftOut = variants.filter(
    (one) => one.environment === environment && curves.left_out.includes(one.variant),
  ).length;
  const help =
    madeTexts(curves.variants.map(({ variant, made }) => ({ label: label(variant), made }))) ||
    undefined;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <BandedCurves
        step={curves.step}
        stepped={curves.source === "evaluation"}
        {...{ lines, help, threshold, title }}
      />
      {leftOut > 0 && (
        <p className="text-xs text-ink-faint">
          {plural(leftOut, "variant")} beyond the best {results.curves.variants.length} not drawn.
        </p>
      )}
      {notesOf(curves, label).map(({ note, labels }) => (
        <p key={note} className="text-xs text-ink-faint">
          {labels}: {note}
        </p>
      ))}
    </div>
  );
}

/** The curves of the variants of one environment, up to the last step with a value. */
function curvesOn({ curves, variants }: ExperimentResults, environment: string) {
  const wanted = new Set(
    variants.filter((one) => one.environment === environment).map(({ variant }) => variant),
  );
  const ours = curves.variants.filter(({ variant }) => wanted.has(variant));
  const end = Math.max(
    0,
    ...ours.map(({ count }) => count.findLastIndex((seeds) => seeds > 0) + 1),
  );
  const upToEnd = ours.map((one) => ({
    ...one,
    iqm: one.iqm.slice(0, end),
    low: one.low.slice(0, end),
    high: one.high.slice(0, end),
    count: one.count.slice(0, end),
  }));
  return { ...curves, step: curves.step.slice(0, end), variants: upToEnd };
}

/** Each note once, with its variants; if there are many, only their number. */
function notesOf({ variants }: ExperimentResults["curves"], label: (id: string) => string) {
  const about = new Map<string, string[]>();
  for (const { variant, note } of variants) {
    if (note) about.set(note, [...(about.get(note) ?? []), label(variant)]);
  }
  return [...about].map(([note, labels]) => ({
    note,
    labels: labels.length > 3 ? plural(labels.length, "variant") : labels.join(", "),
  }));
}
