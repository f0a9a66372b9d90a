"use client";

import { useQuery } from "@tanstack/react-query";
import { ListFilter } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { stepsQuery } from "@/api/steps";
import type { Evaluation } from "@/api/types";
import { count, plural } from "@/lib/number";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { ColumnChoiceButton } from "./column-choice";
import { ConditionField } from "./condition-field";
import { ExportMenu } from "./export-menu";
import { KeptFrames } from "./kept-frames";
import { KeptLine } from "./kept-line";
import { ALL_STEPS, searchOf, type StepFilter } from "./step-filter";
import { StepFilters } from "./step-filters";
import { StepTable } from "./step-table";
import { VerifyButton } from "./verify-button";

/** Records of a page; the table asks for those around what is in view. */
export const PAGE_ROWS = 500;

interface StepsPanelProps {
  evaluation: Evaluation;
  onPick: ((episode: number, index: number) => void) | null;
}

export function StepsPanel({ evaluation, onPick }: StepsPanelProps) {
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
          {found?.info.cut && ", cut where the file reached its size"}
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
        />
      )}
    </div>
  );
}
