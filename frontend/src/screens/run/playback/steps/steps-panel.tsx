"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, ListFilter, ShieldAlert, ShieldCheck } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { healthQuery } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import {
  type StepFormat,
  type StepSearch,
  stepsExport,
  stepsQuery,
  verificationQuery,
  verifySteps,
} from "@/api/steps";
import { framesHashed, loweredText, recordingCostText } from "@/api/storage";
import type { Evaluation, StepsInfo } from "@/api/types";
import { follow } from "@/lib/download";
import { bytes, count, plural } from "@/lib/number";
import type { OtherFutures } from "@/player/futures/other-futures";
import { Button } from "@/ui/button";
import { Menu, MenuItem } from "@/ui/menu";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { KeptFrames, verificationText } from "./kept-frames";
import { ALL_STEPS, searchOf, type StepFilter } from "./step-filter";
import { ColumnChoiceButton, ConditionField, StepFilters } from "./step-filters";
import { StepTable } from "./step-table";

/** Records per page. The table requests the pages around the visible rows. */
export const PAGE_ROWS = 500;

interface StepsPanelProps {
  evaluation: Evaluation;
  onPick: ((episode: number, index: number) => void) | null;
  onOther: OtherFutures["ask"];
}

export function StepsPanel({ evaluation, onPick, onOther }: StepsPanelProps) {
  const [filter, setFilter] = useState<StepFilter>(ALL_STEPS);
  const search = searchOf(useDeferredValue(filter));
  const first = useQuery(
    stepsQuery(evaluation.run_id, evaluation.id, { ...search, from: 0, to: PAGE_ROWS }),
  );
  const found = first.data;
  return (
    <div className="flex flex-col gap-3 pt-2">
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p role="status" className="mr-auto text-xs text-ink-soft tabular-nums">
          {found && plural(found.total, "record")}
          {found?.info.cut && ", cut off at the maximum file size"}
        </p>
        <VerifyButton evaluation={evaluation} />
        {found && <ColumnChoiceButton info={found.info} />}
        <ExportMenu evaluation={evaluation} info={found?.info} search={search} />
      </div>
      {found && <KeptLine evaluation={evaluation} info={found.info} />}
      <KeptFrames evaluation={evaluation} onPick={onPick} />
      {found && (
        <>
          <StepFilters info={found.info} filter={filter} onChange={setFilter} />
          <ConditionField
            evaluation={evaluation}
            info={found.info}
            condition={filter.condition}
            onChange={(condition) => setFilter({ ...filter, condition })}
          />
        </>
      )}
      {first.error ? (
        <ErrorState
          error={first.error}
          retry={() => void first.refetch()}
          retrying={first.isFetching}
        />
      ) : !found ? (
        <Skeleton className="h-80" />
      ) : found.total === 0 ? (
        <EmptyState icon={ListFilter} title="No such step">
          None of the {count(evaluation.summary?.steps?.rows)} records fits these conditions.
        </EmptyState>
      ) : (
        <StepTable
          key={JSON.stringify(search)}
          evaluation={evaluation}
          search={search}
          info={found.info}
          total={found.total}
          sort={filter.sort}
          onSort={(sort) => setFilter({ ...filter, sort })}
          onPick={onPick}
          onOther={onOther}
        />
      )}
    </div>
  );
}

const FORMATS: readonly { format: StepFormat; label: string; extension: string }[] = [
  { format: "csv", label: "CSV, a number a cell", extension: "csv" },
  { format: "ndjson", label: "NDJSON, a record a line", extension: "ndjson" },
  { format: "parquet", label: "Parquet, the file as it is", extension: "parquet" },
  { format: "minari", label: "Minari, a dataset", extension: "minari.zip" },
];

interface ExportMenuProps {
  evaluation: Evaluation;
  info: StepsInfo | undefined;
  /** What the table shows. */
  search: StepSearch;
}

/** Exports the records that the table shows, in the order in which they were played. */
function ExportMenu({ evaluation, info, search }: ExportMenuProps) {
  const { episode, where = [] } = search;
  const filtered = episode !== undefined || where.length > 0;
  const reasons: Partial<Record<StepFormat, string>> = {};
  if (where.length > 0) reasons.minari = "A dataset holds whole episodes: clear the filter";
  if (info?.observation.numbers === 0) reasons.minari = "Only hashes of pictures are kept";
  return (
    <Menu
      trigger={
        <Button size="sm" icon={<Download aria-hidden className="size-3.5" />}>
          {filtered ? "Export these" : "Export"}
        </Button>
      }
    >
      {FORMATS.map(({ format, label, extension }) => (
        <MenuItem
          key={format}
          reason={reasons[format] ?? null}
          onSelect={() =>
            follow(
              stepsExport(evaluation.run_id, evaluation.id, format, search),
              `${evaluation.run_id}-${evaluation.id}${filtered ? "-selected" : ""}.${extension}`,
            )
          }
        >
          {filtered && format === "parquet" ? "Parquet" : label}
        </MenuItem>
      ))}
    </Menu>
  );
}

interface KeptLineProps {
  evaluation: Evaluation;
  info: StepsInfo;
}

/** The detail and cost of these records, and the maximum size of the records of a run. */
function KeptLine({ evaluation, info: { family, frames_every } }: KeptLineProps) {
  const { data: health } = useQuery(healthQuery);
  const most = health?.storage[family]?.max_bytes;
  const recording = evaluation.summary?.recording;
  return (
    <p className="text-xs text-ink-faint tabular-nums">
      {recording && `Recorded at ${recording.detail} detail${recordingCostText(recording.cost)}. `}
      {recording?.lowered && `${loweredText(recording.lowered)} `}
      {evaluation.origin === "run"
        ? "No frame was drawn, so none is hashed."
        : `Hashed: ${framesHashed(frames_every)}.`}
      {most !== undefined && ` Records of a run are kept up to ${bytes(most)}.`}
    </p>
  );
}

/** Verifies the records by replaying the episodes, and shows the result. */
function VerifyButton({ evaluation: { run_id: run, id } }: { evaluation: Evaluation }) {
  const client = useQueryClient();
  const { data: found } = useQuery(verificationQuery(run, id));
  const request = useMutation({
    mutationFn: () => verifySteps(run, id),
    onSuccess: (asked) => client.setQueryData(keys.verification(run, id), asked),
  });
  const busy = request.isPending || found?.status === "running";
  const good = found?.identical === true;
  return (
    <>
      <p
        role="status"
        className={`flex items-center gap-1.5 text-xs ${good ? "text-good" : found && !busy ? "text-bad" : "text-ink-soft"}`}
      >
        {found &&
          !busy &&
          (good ? (
            <ShieldCheck aria-hidden className="size-3.5" />
          ) : (
            <ShieldAlert aria-hidden className="size-3.5" />
          ))}
        {request.error ? explainAction(request.error) : found ? verificationText(found) : null}
      </p>
      <Button
        size="sm"
        needsService
        busy={busy}
        title="Play the episodes again and compare every record"
        onClick={() => request.mutate()}
      >
        Verify
      </Button>
    </>
  );
}
