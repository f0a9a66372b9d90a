"use client";

import { useEffect, useMemo, useState } from "react";
import type { StepRecord } from "@/api/types";
import { count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import type { SessionClient } from "@/player/session/session-client";
import {
  componentsOf,
  drawnSlice,
  firstPair,
  NO_CHANGES,
  type SlicedSpace,
} from "@/player/value-slice/prepare";
import { PairPicker, SlicePicture } from "@/player/value-slice/slice-picture";
import { WhatIfSliders } from "@/player/value-slice/what-if-sliders";
import { Disclosure } from "@/ui/disclosure";

interface LiveSliceFigureProps {
  client: SessionClient;
  space: SlicedSpace;
  /** The visible step. */
  record: StepRecord;
  /** The episode of the step. */
  records: readonly StepRecord[];
}

/** A value slice of the policy that plays. While it is open, it is drawn again for new weights and for each step. */
export function LiveSliceFigure(props: LiveSliceFigureProps) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure summary="Value slice" open={open} onToggle={setOpen}>
      {open && <OpenLiveSlice {...props} />}
    </Disclosure>
  );
}

function OpenLiveSlice({ client, space, record, records }: LiveSliceFigureProps) {
  const [[x, y], setPair] = useState(() => firstPair(space));
  const [changes, setChanges] = useState(NO_CHANGES);
  const newest = useStore(client.slice);

  // External system: the session, which draws what is asked for.
  useEffect(() => client.showSlice([x, y], [...changes]), [client, x, y, changes]);
  useEffect(() => () => client.showSlice(null), [client]);

  const slice = useMemo(() => newest && drawnSlice(newest, space), [newest, space]);
  const names = componentsOf(space);
  return (
    <div className="flex min-w-0 flex-col gap-2.5 pt-1">
      <PairPicker names={names} pair={[x, y]} onChange={setPair} />
      {slice && newest ? (
        <>
          <SlicePicture slice={slice} record={record} records={records} />
          <p className="text-xs text-ink-soft tabular-nums">
            Policy of step {count(newest.policy_step)}
            {names.length > 2 &&
              `; ${changes.size > 0 ? "the components that you did not change" : "the other components"} keep their values of step ${count(newest.index)}`}
            .
          </p>
          <WhatIfSliders
            {...{ space, records, changes }}
            pair={[x, y]}
            at={newest.slice.at}
            onChange={setChanges}
          />
        </>
      ) : (
        <p role="status" className="h-80 text-sm text-ink-soft">
          It is drawn with the next step that the agent plays.
        </p>
      )}
    </div>
  );
}
