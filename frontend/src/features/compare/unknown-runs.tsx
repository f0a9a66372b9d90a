import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { plural } from "@/lib/format";

interface UnknownRunsProps {
  ids: readonly string[];
  onRemove: () => void;
}

/** Ids in the address that no run has: a link outlives what it names. */
export function UnknownRuns({ ids, onRemove }: UnknownRunsProps) {
  if (ids.length === 0) return null;
  return (
    <Notice
      tone="warn"
      role="alert"
      title={`${plural(ids.length, "run")} ${ids.length === 1 ? "does" : "do"} not exist, or not any more`}
    >
      <p className="font-mono text-xs wrap-anywhere text-ink-soft">{ids.join(", ")}</p>
      <Button size="sm" className="mt-2" onClick={onRemove}>
        Take out of the comparison
      </Button>
    </Notice>
  );
}
