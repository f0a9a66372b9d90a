"use client";

import { CircleHelp } from "lucide-react";
import { useId } from "react";
import { Tooltip } from "@/ui/tooltip";

/** A button that explains what a curve or a figure means. The text is also its description for screen readers. */
export function ChartHelp({ title, text }: { title: string; text: string }) {
  const description = useId();
  return (
    <>
      <Tooltip text={<span className="whitespace-pre-line">{text}</span>}>
        <button
          type="button"
          aria-label={`What is ${title}?`}
          aria-describedby={description}
          className="relative grid size-5 shrink-0 place-items-center rounded-sm text-ink-faint after:absolute hover:text-ink pointer-coarse:after:-inset-2"
        >
          <CircleHelp aria-hidden className="size-3.5" />
        </button>
      </Tooltip>
      <span id={description} hidden>
        {text}
      </span>
    </>
  );
}
