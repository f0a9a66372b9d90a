"use client";

import { useMemo } from "react";
import { BandedCurves } from "@/components/charts";
import type { ExperimentResults } from "@/lib/api";
import { plural } from "@/lib/format";
import { madeTexts } from "@/lib/made";
import { labelsOf, placesOf } from "./labels";

/** The learning curve of each variant with its band. */
export function ResultCurves({ results }: { results: ExperimentResults }) {
  const { curves, variants, threshold } = results;
  const lines = useMemo(() => {
    const label = labelsOf(variants);
    const place = placesOf(variants);
    return curves.variants.map(({ variant, seeds, iqm, low, high }) => ({
      ...{ id: variant, place: place(variant), iqm, low, high },
      label: `${label(variant)}, IQM of ${plural(seeds, "seed")}`,
    }));
  }, [curves, variants]);
  const label = labelsOf(variants);
  const help =
    madeTexts(curves.variants.map(({ variant, made }) => ({ label: label(variant), made }))) ||
    undefined;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <BandedCurves step={curves.step} {...{ lines, help, threshold }} />
      {notesOf(curves, label).map(({ note, labels }) => (
        <p key={note} className="text-xs text-ink-faint">
          {labels}: {note}
        </p>
      ))}
    </div>
  );
}

/** Each note once, with the variants that it is about; of many only how many they are. */
function notesOf({ variants }: ExperimentResults["curves"], label: (id: string) => string) {
  const about = new Map<string, string[]>();
  for (const { variant, note } of variants) {
    if (note) about.set(note, [...(about.get(note) ?? []), label(variant)]);
  }
  return [...about].map(([note, told]) => ({
    note,
    labels: told.length > 3 ? plural(told.length, "variant") : told.join(", "),
  }));
}
