import { Button } from "@/components/ui/button";
import type { Run } from "@/lib/api";
import { columns } from "./columns";
import { RunRow } from "./run-row";

interface RunRowsProps {
  runs: readonly Run[];
  hasMore: boolean;
  loadingMore: boolean;
  loadMore: () => void;
}

export function RunRows({ runs, hasMore, loadingMore, loadMore }: RunRowsProps) {
  return (
    <>
      <div
        aria-hidden
        className={`${columns} hidden border-b border-line px-4 py-1.5 text-xs text-ink-faint lg:grid`}
      >
        <span>Run</span>
        <span>Status</span>
        <span>Progress</span>
        <span className="text-right">Mean return</span>
        <span className="text-right">Time</span>
      </div>
      <ul className="divide-y divide-line">
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      {hasMore && (
        <div className="flex justify-center border-t border-line p-3">
          <Button onClick={loadMore} busy={loadingMore}>
            Load more
          </Button>
        </div>
      )}
    </>
  );
}
