import { RotateCcw, Trash2 } from "lucide-react";
import type { DeletedRun, TrashList } from "@/api/types";
import { bytes, plural } from "@/lib/number";
import { Button } from "@/ui/button";

interface TrashToolbarProps {
  trash: TrashList;
  chosen: readonly DeletedRun[];
  busy: boolean;
  onPickAll: (all: boolean) => void;
  onRestore: () => void;
  onRemove: () => void;
  onEmpty: () => void;
}

/** Number and size of the deleted runs, and actions on all or on the selected ones. */
export function TrashToolbar(props: TrashToolbarProps) {
  const { trash, chosen, busy, onPickAll, onRestore, onRemove, onEmpty } = props;
  const total = trash.runs.length;
  const some = chosen.length > 0;
  return (
    <div className="mb-3 flex min-h-8 flex-wrap items-center gap-2">
      <label className="flex grow items-center gap-2.5 text-sm text-ink-soft tabular-nums max-md:w-full md:pl-4">
        <input
          type="checkbox"
          aria-label={some ? "Clear the selection" : `Select ${plural(total, "run")}`}
          checked={chosen.length === total}
          ref={(box) => {
            if (box) box.indeterminate = some && chosen.length < total;
          }}
          onChange={() => onPickAll(!some)}
          className="size-4 accent-accent"
        />
        <span role="status">
          {some ? `${plural(chosen.length, "run")} selected` : plural(total, "deleted run")} ·{" "}
          {bytes(some ? chosen.reduce((sum, run) => sum + run.size_bytes, 0) : trash.total_bytes)}
        </span>
      </label>
      {some ? (
        <>
          <Button
            needsService
            busy={busy}
            onClick={onRestore}
            icon={<RotateCcw aria-hidden className="size-3.5" />}
          >
            Restore
          </Button>
          <Button
            variant="danger"
            needsService
            onClick={onRemove}
            icon={<Trash2 aria-hidden className="size-3.5" />}
          >
            Remove for good…
          </Button>
        </>
      ) : (
        <Button
          variant="danger"
          needsService
          onClick={onEmpty}
          icon={<Trash2 aria-hidden className="size-3.5" />}
        >
          Empty the trash…
        </Button>
      )}
    </div>
  );
}
