"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { runListQuery } from "@/lib/api";
import { plural } from "@/lib/format";
import { readListFilter, toRunFilter, useQueryString, writeListFilter } from "@/lib/url";
import { ListFilters } from "./list-filters";
import { NoMatches, NoRuns } from "./no-runs";
import { RunRows } from "./run-rows";
import { RunListSkeleton } from "./run-list-skeleton";

export function RunList() {
  const [query, replaceQuery] = useQueryString();
  const filter = readListFilter(query);
  const filtered = writeListFilter(filter) !== "";
  const list = useInfiniteQuery({
    ...runListQuery(toRunFilter(filter)),
    placeholderData: keepPreviousData,
  });
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  const total = list.data?.pages.at(-1)?.total;
  const clear = () => replaceQuery("");
  return (
    <Card
      label="Runs"
      bodyClass=""
      title={
        <>
          Runs
          {total !== undefined && (
            <span className="ml-2 font-normal text-ink-faint tabular-nums">
              {filtered ? plural(total, "match", "matches") : total}
            </span>
          )}
        </>
      }
    >
      <ListFilters filter={filter} onChange={(next) => replaceQuery(writeListFilter(next))} />
      {list.isPending ? (
        <RunListSkeleton />
      ) : list.error && runs.length === 0 ? (
        <ErrorState
          error={list.error}
          retry={() => void list.refetch()}
          retrying={list.isFetching}
        />
      ) : runs.length > 0 ? (
        <RunRows
          runs={runs}
          hasMore={list.hasNextPage}
          loadingMore={list.isFetchingNextPage}
          error={list.isFetchNextPageError ? list.error : null}
          loadMore={() => void list.fetchNextPage()}
        />
      ) : filtered ? (
        <NoMatches clear={clear} />
      ) : (
        <NoRuns />
      )}
    </Card>
  );
}
