"use client";

import type { RunDetail } from "@/api/types";
import { LiveSeen } from "@/components/policy-reading/seen/live-seen";
import { LiveSliceFigure } from "@/components/value-slice/live-slice";
import { useStore } from "@/lib/use-store";
import { LiveFacts } from "@/player/live/stage";
import { PolicyReadingView } from "@/player/reading/policy-reading-view";
import { isPicture } from "@/player/reading/space";
import type { EpisodeTrace } from "@/player/session/episode-trace";
import type { SessionClient } from "@/player/session/session-client";
import { canBeSliced } from "@/player/value-slice/prepare";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import type { Frozen } from "./use-frozen";
import { useSpaces } from "./use-spaces";

interface LiveReadingProps {
  client: SessionClient;
  run: RunDetail;
  frozen: Frozen | null;
  /** Whether something will be seen in a moment: its room is kept. */
  expected: boolean;
  onPick: (moment: Frozen) => void;
  onLive: () => void;
}

/** Where the episode stands and what the policy makes of it, in step with the frame; drawn anew with each. */
export function LiveReading({ client, run, frozen, expected, onPick, onLive }: LiveReadingProps) {
  const moment = useStore(client.moment);
  const last = useStore(client.lastEpisode);
  const state = useStore(client.state);
  const spaces = useSpaces(run, state.hello);
  const shown = frozen ?? moment;
  const pickFrom = (trace: EpisodeTrace) => (index: number) => {
    const record = trace.recordAt(index);
    if (record) onPick({ trace, record });
  };
  const showLast = () => {
    const record = last?.records[0];
    if (last && record) onPick({ trace: last, record });
  };
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <LiveFacts record={shown?.record ?? null} />
      {last && (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Segmented
            legend="Episode"
            options={[
              { value: "live", label: "This episode" },
              { value: "last", label: "Last episode" },
            ]}
            value={frozen && frozen.trace !== moment?.trace ? "last" : "live"}
            onChange={(value) => (value === "last" ? showLast() : onLive())}
          />
          {frozen && (
            <Button size="sm" variant="quiet" onClick={onLive}>
              Back to live
            </Button>
          )}
        </div>
      )}
      {!shown && expected && <Skeleton className="h-80" />}
      {shown && spaces && (
        <PolicyReadingView
          record={shown.record}
          records={shown.trace.records}
          isOver={shown.trace.isOver}
          spaces={spaces}
          greedy={state.greedy}
          learned={run.learned_rewards}
          seen={
            isPicture(spaces.observation) && (
              <LiveSeen
                client={client}
                frozen={frozen && { trace: frozen.trace, index: frozen.record.index }}
              />
            )
          }
          onPick={pickFrom(shown.trace)}
        />
      )}
      {shown && spaces && canBeSliced(spaces.observation) && (
        <LiveSliceFigure
          client={client}
          space={spaces.observation}
          record={shown.record}
          records={shown.trace.records}
        />
      )}
      {state.complaint && (
        <p role="alert" className="text-xs text-bad-strong">
          {state.complaint}
        </p>
      )}
    </div>
  );
}
