import { CircleHelp } from "lucide-react";
import { Tooltip } from "@/components/ui/tooltip";

/** A button that explains what a curve means. */
export function ChartHelp({ title, text }: { title: string; text: string }) {
  return (
    <Tooltip text={text}>
      <button
        type="button"
        aria-label={`What is ${title}?`}
        aria-description={text}
        className="grid size-5 shrink-0 place-items-center rounded-sm text-ink-faint hover:text-ink"
      >
        <CircleHelp aria-hidden className="size-3.5" />
      </button>
    </Tooltip>
  );
}
