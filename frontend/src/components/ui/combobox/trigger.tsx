import clsx from "clsx";
import { ChevronsUpDown } from "lucide-react";
import type { ComponentProps } from "react";
import { controlClass } from "../control-class";

/** A button that looks like a field, because it holds a value. */
export function ComboboxTrigger({ className, children, ...rest }: ComponentProps<"button">) {
  return (
    <button
      type="button"
      className={clsx(controlClass, "flex items-center justify-between gap-2 text-left", className)}
      {...rest}
    >
      <span className="min-w-0 truncate">{children}</span>
      <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
    </button>
  );
}
