import { Download, GitCompareArrows, Trash2, X } from "lucide-react";
import Link from "next/link";
import { useLimits } from "@/api/choices";
import { whyNotCompare } from "@/api/run-availability";
import { plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { ExportRunsMenu } from "@/screens/shared/export-runs";
import { Button, buttonClass } from "@/ui/button";

interface SelectionBarProps {
  ids: ReadonlySet<string>;
  onRemove: () => void;
  onClear: () => void;
}

/** A floating bar with actions for the selected runs. */
export function SelectionBar({ ids, onRemove, onClear }: SelectionBarProps) {
  const limits = useLimits();
  const most = limits?.compared_runs.maximum ?? Infinity;
  const mostExported = limits?.exported_runs.maximum ?? Infinity;
  if (ids.size === 0) return null;
  const reason = whyNotCompare(ids.size, most);
  const Icon = <GitCompareArrows aria-hidden className="size-3.5" />;
  return (
    <section
      aria-label="Selected runs"
      data-selection-bar
      className="fixed bottom-4 left-1/2 z-bar flex max-w-[calc(100vw-2rem)] -translate-x-1/2 animate-rise items-center gap-2 rounded-lg border border-line-strong bg-raised p-1.5 shadow-float max-md:bottom-[calc(4.25rem+env(safe-area-inset-bottom))]"
    >
      <p role="status" className="px-2 text-sm whitespace-nowrap tabular-nums">
        {plural(ids.size, "run")} <span className="max-sm:sr-only">selected</span>
      </p>
      {reason === null ? (
        <Link href={routes.compareRuns([...ids])} className={buttonClass("primary")}>
          {Icon}
          Compare
        </Link>
      ) : (
        <Button variant="primary" icon={Icon} unavailable={reason}>
          Compare
        </Button>
      )}
      <ExportRunsMenu
        of={{ runs: [...ids] }}
        trigger={
          <Button
            variant="quiet"
            disabled={ids.size > mostExported}
            title={ids.size > mostExported ? `At most ${mostExported} together` : undefined}
            icon={<Download aria-hidden className="size-3.5" />}
            aria-label={`Export ${plural(ids.size, "selected run")}`}
          >
            <span className="max-sm:sr-only">Export</span>
          </Button>
        }
      />
      <Button
        variant="quiet"
        needsService
        onClick={onRemove}
        icon={<Trash2 aria-hidden className="size-3.5" />}
        aria-label={`Delete ${plural(ids.size, "selected run")}`}
      >
        Delete
      </Button>
      <Button variant="quiet" onClick={onClear} aria-label="Clear the selection">
        <X aria-hidden className="size-4" />
      </Button>
    </section>
  );
}
