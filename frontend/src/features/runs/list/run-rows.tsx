import { Button } from "@/components/ui/button";
import { explainAction, type Run } from "@/lib/api";
import { columns } from "./columns";
import { RunRow } from "./run-row";

interface RunRowsProps {
  runs: readonly Run[];
  hasMore: boolean;
  loadingMore: boolean;
  /** Why the last page did not come. */
  error: Error | null;
  loadMore: () => void;
}

export function RunRows({ runs, hasMore, loadingMore, error, loadMore }: RunRowsProps) {
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
      <ul className="divide-y divide-line overflow-hidden last:rounded-b-lg">
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
      {hasMore && (
        <div className="flex flex-col items-center gap-2 border-t border-line p-3">
          {error && (
            <p role="alert" className="text-xs text-bad">
              {explainAction(error)}
            </p>
          )}
          <Button onClick={loadMore} busy={loadingMore}>
            Load more
          </Button>
        </div>
      )}
    </>
  );
}
