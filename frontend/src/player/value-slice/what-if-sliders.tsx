"use client";

import { RotateCcw } from "lucide-react";
import type { StepRecord } from "@/api/types";
import { decimal } from "@/lib/number";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Slider } from "@/ui/slider";
import { type Changes, componentsOf, NO_CHANGES, reachOf, type SlicedSpace } from "./prepare";

/** Maximum number of components with a slider. */
const MOST = 64;

interface WhatIfSlidersProps {
  space: SlicedSpace;
  /** Places of the components that the picture varies. */
  pair: readonly [number, number];
  /** The observation that provides the other values. */
  at: readonly number[];
  records: readonly StepRecord[];
  changes: Changes;
  onChange: (changes: Changes) => void;
}

/** A slider for each component that is not on an axis, and a button that resets all of them. */
export function WhatIfSliders({ space, pair, at, records, changes, onChange }: WhatIfSlidersProps) {
  const names = componentsOf(space);
  const held = names.flatMap((name, place) => (pair.includes(place) ? [] : [{ name, place }]));
  if (held.length === 0) return null;
  const change = (place: number, value: number) => onChange(new Map([...changes, [place, value]]));
  return (
    <Disclosure
      summary={<span className="text-xs">Change the observation</span>}
      aside={
        changes.size > 0 && (
          <Button
            size="sm"
            variant="quiet"
            icon={<RotateCcw aria-hidden className="size-3.5" />}
            onClick={(event) => {
              event.preventDefault(); // the button is in the line that opens and closes
              onChange(NO_CHANGES);
            }}
          >
            Reset to the observation
          </Button>
        )
      }
    >
      <ul
        aria-label="Held at"
        className="flex max-h-64 flex-col gap-1 overflow-y-auto py-1 text-xs"
      >
        {held.slice(0, MOST).map(({ name, place }) => {
          const unit = space.units?.[place];
          const value = changes.get(place) ?? at[place] ?? 0;
          const { low, high } = reachOf(space, place, records, value);
          const said = `${decimal(value)}${unit ? ` ${unit}` : ""}`;
          return (
            <li
              key={place}
              className="grid min-h-7 grid-cols-[minmax(0,1fr)_minmax(5rem,1.2fr)_5.5rem] items-center gap-2 max-md:min-h-10"
            >
              <span className="truncate text-ink-soft" title={name}>
                {name}
              </span>
              <Slider
                label={name}
                value={value}
                min={low}
                max={high}
                step={high > low ? (high - low) / 100 : 1}
                valueText={said}
                onChange={(next) => change(place, Number(next.toPrecision(4)))}
              />
              <span
                className={`truncate text-right tabular-nums ${changes.has(place) ? "font-medium text-accent" : ""}`}
              >
                {said}
              </span>
            </li>
          );
        })}
      </ul>
      {held.length > MOST && (
        <p className="text-2xs text-ink-faint">Only the first {MOST} components have a slider.</p>
      )}
    </Disclosure>
  );
}
