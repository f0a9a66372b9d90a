import clsx from "clsx";
import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { controlClass } from "./control-class";

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
