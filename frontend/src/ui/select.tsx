import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";

/** A native select, which has the best picker on phones and works fully by keyboard. */
export function Select({ className, children, ...rest }: ComponentProps<"select">) {
  return (
    <div className={clsx("relative min-w-0", className)}>
      <select className={clsx(controlClass, "appearance-none truncate pr-8")} {...rest}>
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-ink-faint"
      />
    </div>
  );
}

/** The look of a text field or a select. */
export const controlClass =
  "h-8 w-full min-w-0 rounded-md border border-control-line bg-raised px-2.5 text-sm tabular-nums transition-colors hover:border-ink-faint aria-invalid:border-bad disabled:opacity-60 max-md:h-10 max-md:text-[1rem]";
