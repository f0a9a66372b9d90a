import type { UseQueryResult } from "@tanstack/react-query";
import { ChartScatter } from "lucide-react";
import type { ReactNode } from "react";
import { useAlgorithmName } from "@/api/choices";
import type { QueryAnswer } from "@/api/types";
import { csvOf } from "@/lib/csv";
import { EmptyState, ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";

interface AnswerProps<T> {
  asked: UseQueryResult<T>;
  /** Why there is nothing to show; null: there is something. */
  nothing: (data: T) => ReactNode | null;
  children: (data: T) => ReactNode;
}

/** Shows the service's response, or its state: loading, failed, or empty. */
export function Answer<T>({ asked, nothing, children }: AnswerProps<T>) {
  const { data, error, refetch, isFetching } = asked;
  if (error && !data)
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  if (!data)
    return (
      <div role="status" aria-label="Loading">
        <Skeleton className="h-80" />
      </div>
    );
  const why = nothing(data);
  if (why !== null)
    return (
      <EmptyState icon={ChartScatter} title="Nothing to show">
        {why}
      </EmptyState>
    );
  return (
    <div aria-busy={isFetching} className="flex min-w-0 flex-col gap-3">
      {children(data)}
    </div>
  );
}

/** Returns a function that names a value of a setting: algorithms by their name, all others as they are. */
export function useValueName(): (setting: string | undefined, value: string | null) => string {
  const algorithmName = useAlgorithmName();
  return (setting, value) =>
    value !== null && setting === "algo" ? algorithmName(value) : (value ?? "none");
}

/** Shown if a filter matches no run. */
export const NO_RUNS = "No run matches. Train one, or choose fewer filters.";
export const NO_VALUES = "None of the runs that match has this measure. Choose another.";

type Value = QueryAnswer["rows"][number][number];

/** A value as text; nothing for null. */
export function valueText(value: Value): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** An answer as CSV, its columns' names first. */
export function answerCsv({ columns, rows }: Pick<QueryAnswer, "columns" | "rows">): string {
  const cell = (value: Value) => (typeof value === "number" ? value : valueText(value));
  return csvOf([columns, ...rows.map((row) => row.map(cell))]);
}
