import { RotateCcw } from "lucide-react";

/** A bar beside a field whose value was changed. */
export const CHANGED =
  "relative before:absolute before:inset-y-0 before:-left-2.5 before:w-0.5 before:rounded-full before:bg-warn";

interface ResetMarkProps {
  /** Name of the field. */
  name: string;
  /** The value before the change. */
  usual: string;
  /** Source of that value: "preset" or "default". */
  owner: string;
  onReset: () => void;
}

/** Says what a changed field was before, and undoes the change. */
export function ResetMark({ name, usual, owner, onReset }: ResetMarkProps) {
  return (
    <button
      type="button"
      aria-label={`Reset ${name} to ${usual}`}
      onClick={onReset}
      className="flex min-w-0 items-center gap-1 rounded-sm text-2xs text-warn hover:underline"
    >
      <span className="truncate">
        {owner}: <span className="font-mono">{usual}</span>
      </span>
      <RotateCcw aria-hidden className="size-3 shrink-0" />
    </button>
  );
}
