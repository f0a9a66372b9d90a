"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { explainAction } from "@/api/http";
import { chooseRecording, recordingKeys, recordingQuery } from "@/api/recording";
import { isActive } from "@/api/runs";
import { loweredText, timeShare } from "@/api/storage";
import type { Detail, RunDetail } from "@/api/types";
import { count } from "@/lib/number";
import { Field } from "@/ui/field";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Select } from "@/ui/select";
import { RecordedEpisodes } from "./recorded-episodes";

/** The cost is measured while the run goes on, of which no event of the stream tells. */
const WHILE_LIVE_MS = 4_000;

/** At which detail a run is recorded, what that keeps and costs, and the episodes that it has recorded itself. */
export function RecordingPanel({ run }: { run: RunDetail }) {
  const client = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery({
    ...recordingQuery(run.id),
    refetchInterval: isActive(run) ? WHILE_LIVE_MS : (false as const),
  });
  const choice = useMutation({
    mutationFn: (detail: Detail | null) => chooseRecording(run.id, detail),
    onSuccess: (now) => client.setQueryData(recordingKeys.level(run.id), now),
  });
  if (error && !data)
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  if (!data) return <Skeleton className="m-4 h-40" />;
  const { detail, chosen, of_family: family, levels, cost, most_cost: most, lowered } = data;
  const wanted = chosen ?? family;
  return (
    <div className="flex flex-col gap-4 p-4">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <Field label="Detail" className="w-56">
          {(control) => (
            <Select
              {...control}
              value={chosen ?? ""}
              disabled={choice.isPending || run.actor === "foreign"}
              onChange={({ target }) => choice.mutate((target.value || null) as Detail | null)}
            >
              <option value="">As its family: {family}</option>
              {levels.map((level) => (
                <option key={level.detail} value={level.detail}>
                  {level.detail}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <p role="status" className="pb-1.5 text-xs text-ink-soft tabular-nums">
          {cost === null
            ? "Its cost is not known yet."
            : `Recording took ${timeShare(cost)} of the time. Above ${timeShare(most)} the detail is lowered.`}
        </p>
      </div>
      {choice.error && <Notice tone="bad" role="alert" title={explainAction(choice.error)} />}
      {lowered && detail !== wanted && (
        <Notice
          tone="warn"
          title={`Recorded at ${detail} detail since step ${count(data.lowered_at)}`}
        >
          <p className="text-ink-soft">{loweredText(lowered)} Choose it again to try again.</p>
        </Notice>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
        {levels.map((level) => (
          <div key={level.detail} className="contents">
            <dt className={level.detail === detail ? "font-semibold" : "text-ink-faint"}>
              {level.detail}
            </dt>
            <dd className={level.detail === detail ? undefined : "text-ink-faint"}>
              {level.keeps}
            </dd>
          </div>
        ))}
      </dl>
      <RecordedEpisodes run={run} />
    </div>
  );
}
