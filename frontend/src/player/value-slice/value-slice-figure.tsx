"use client";

/**
 * The value that a policy expects over two components of its observation, with the path of an episode on it.
 *
 *     <ValueSliceFigure runId={run.id} step={20_000} space={info.observation} record={record} records={records} />
 */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { valueSliceQuery } from "@/api/policy-pictures";
import type { StepRecord } from "@/api/types";
import { count } from "@/lib/number";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Switch } from "@/ui/switch";
import {
  changed,
  componentsOf,
  firstPair,
  NO_CHANGES,
  numbersOf,
  type SlicedSpace,
} from "./prepare";
import { PairPicker, SlicePicture } from "./slice-picture";
import { WhatIfSliders } from "./what-if-sliders";

interface ValueSliceFigureProps {
  runId: string;
  /** Training step of the policy. */
  step: number;
  space: SlicedSpace;
  /** The visible step. */
  record: StepRecord;
  /** The episode of the step. */
  records: readonly StepRecord[];
}

/** A slice is requested when the user opens it. */
export function ValueSliceFigure(props: ValueSliceFigureProps) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure summary="Value slice" open={open} onToggle={setOpen}>
      {open && <OpenSlice {...props} />}
    </Disclosure>
  );
}

/** Source of the values of the other components: a step of the episode, or (null) the middle of their bounds. */
type Held = { episode: number; index: number; at: number[] } | null;

function heldAt(record: StepRecord): Held {
  const at = numbersOf(record);
  return at && { episode: record.episode, index: record.index, at };
}

function OpenSlice({ runId, step, space, record, records }: ValueSliceFigureProps) {
  const [[x, y], setPair] = useState(() => firstPair(space));
  const [held, setHeld] = useState(() => heldAt(record));
  const [follows, setFollows] = useState(false);
  const [changes, setChanges] = useState(NO_CHANGES);
  const [middle, setMiddle] = useState<readonly number[] | null>(null);
  const seen = held?.at ?? middle;
  const wanted = changes.size > 0 && seen ? changed(seen, changes) : (held?.at ?? null);
  const [at, setAt] = useState(wanted);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(
    valueSliceQuery(runId, { x, y, step, at }),
  );
  // One slice at a time: while a slider is dragged, those between are left out.
  if (String(wanted) !== String(at) && (!isFetching || error)) setAt(wanted);
  if (at === null && middle === null && data && !isPlaceholderData) setMiddle(data.at);
  const here = heldAt(record);
  const isHere = here?.index === held?.index && here?.episode === held?.episode;
  // One slice at a time: while a video plays, those between are left out.
  if (follows && here && !isHere && !isFetching && !error) setHeld(here);

  const names = componentsOf(space);
  return (
    <div className="flex min-w-0 flex-col gap-2.5 pt-1">
      <PairPicker names={names} pair={[x, y]} onChange={setPair} />
      {error ? (
        <div className="flex items-center justify-between gap-3 text-sm text-ink-soft">
          <p>{error.message}</p>
          <Button size="sm" onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      ) : data ? (
        <div
          aria-busy={isPlaceholderData}
          className={isPlaceholderData && !follows ? "opacity-60" : undefined}
        >
          <SlicePicture slice={data} record={record} records={records} />
          <p className="text-xs text-ink-soft tabular-nums">
            Policy of step {count(data.step)}
            {data.step !== step && `, the newest one kept up to step ${count(step)}`}.
          </p>
        </div>
      ) : (
        <p role="status" className="h-80 text-sm text-ink-soft">
          Loading the policy…
        </p>
      )}
      {seen && (
        <WhatIfSliders
          {...{ space, records, changes }}
          pair={[x, y]}
          at={seen}
          onChange={setChanges}
        />
      )}
      {names.length > 2 && (
        <div className="flex flex-col gap-1.5 text-xs text-ink-soft">
          <p className="tabular-nums">
            {changes.size > 0 ? "The components that you did not change" : "The other components"}{" "}
            {held
              ? `keep their values of step ${count(held.index)} of episode ${count(held.episode + 1)}`
              : "are in the middle of their bounds, or at 0"}
            .
          </p>
          <div className="flex flex-wrap items-center gap-2">
            <Button size="sm" disabled={follows || !here || isHere} onClick={() => setHeld(here)}>
              At this step
            </Button>
            <Button
              size="sm"
              variant="quiet"
              disabled={follows || !held}
              onClick={() => setHeld(null)}
            >
              Middle
            </Button>
            <Switch
              label="Follow the episode"
              checked={follows}
              disabled={!here}
              onChange={setFollows}
              className="ml-auto text-xs"
            />
          </div>
        </div>
      )}
    </div>
  );
}
