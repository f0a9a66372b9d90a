import { RotateCcw, Trash2 } from "lucide-react";
import { useAlgorithmName } from "@/api/choices";
import type { DeletedRun } from "@/api/types";
import { age, moment } from "@/lib/format-time";
import { bytes } from "@/lib/number";
import { Button } from "@/ui/button";
import { untilRemoval } from "./until-removal";

interface DeletedRunRowProps {
  run: DeletedRun;
  now: number;
  picked: boolean;
  restoring: boolean;
  onPick: () => void;
  onRestore: () => void;
  onRemove: () => void;
}

export function DeletedRunRow(props: DeletedRunRowProps) {
  const { run, now, picked, restoring, onPick, onRestore, onRemove } = props;
  const algorithmName = useAlgorithmName();
  const facts = run.algo ? `${algorithmName(run.algo)} · ${run.env_id}` : "Cannot be read any more";
  return (
    <li className="flex items-center gap-x-3 gap-y-2 px-4 py-2.5 max-md:flex-wrap">
      <input
        type="checkbox"
        aria-label={`Select ${run.name}`}
        checked={picked}
        onChange={onPick}
        className="size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0 grow basis-40">
        <p className="truncate text-sm font-medium">{run.name}</p>
        <p className="truncate text-xs text-ink-faint">
          {facts} <span className="font-mono text-2xs">· {run.id}</span>
        </p>
      </div>
      <dl className="flex gap-x-5 text-xs text-ink-soft tabular-nums max-md:order-last max-md:w-full max-md:justify-between max-md:pl-7">
        <Fact name="Deleted" title={moment(run.deleted_at)} className="md:w-20">
          {age(run.deleted_at, now)}
        </Fact>
        <Fact name="Removed for good" title={moment(run.removed_at)} className="md:w-28">
          {untilRemoval(run.removed_at, now)}
        </Fact>
        <Fact name="Size" className="md:w-16 md:text-right">
          {bytes(run.size_bytes)}
        </Fact>
      </dl>
      <div className="flex gap-1">
        <Button
          size="sm"
          needsService
          busy={restoring}
          aria-label={`Restore ${run.name}`}
          onClick={onRestore}
          icon={<RotateCcw aria-hidden className="size-3.5" />}
          className="max-md:h-10"
        >
          Restore
        </Button>
        <Button
          size="sm"
          variant="quiet"
          needsService
          aria-label={`Remove ${run.name} for good`}
          onClick={onRemove}
          className="max-md:h-10"
        >
          <Trash2 aria-hidden className="size-3.5" />
        </Button>
      </div>
    </li>
  );
}

interface FactProps {
  name: string;
  title?: string;
  className?: string;
  children: string;
}

function Fact({ name, title, className, children }: FactProps) {
  return (
    <div className={className} title={title}>
      <dt className="text-2xs text-ink-faint">{name}</dt>
      <dd className="whitespace-nowrap">{children}</dd>
    </div>
  );
}
