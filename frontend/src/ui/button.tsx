import clsx from "clsx";
import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";

type Variant = "primary" | "secondary" | "quiet" | "danger";
type Size = "sm" | "md" | "lg";

const base =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-55 aria-busy:pointer-events-none aria-disabled:cursor-not-allowed aria-disabled:opacity-55";

const variants: Record<Variant, string> = {
  primary: "bg-accent text-accent-ink enabled:not-aria-disabled:hover:bg-accent-strong",
  secondary:
    "border border-line-strong bg-raised text-ink enabled:not-aria-disabled:hover:border-control-line enabled:not-aria-disabled:hover:bg-sunken",
  quiet:
    "text-ink-soft enabled:not-aria-disabled:hover:bg-rest-tint enabled:not-aria-disabled:hover:text-ink",
  danger:
    "border border-line-strong bg-raised text-bad enabled:not-aria-disabled:hover:border-bad enabled:not-aria-disabled:hover:bg-bad-tint",
};

const sizes: Record<Size, string> = {
  sm: "h-7 px-2 text-xs",
  md: "h-8 px-3 text-sm max-md:h-10",
  lg: "h-10 px-4 text-base max-md:h-11",
};

export function buttonClass(variant: Variant = "secondary", size: Size = "md"): string {
  return clsx(base, variants[variant], sizes[size]);
}

/** For small buttons that are pressed often on a phone. */
export const touchClass = "max-md:h-9 max-md:px-3";

interface ButtonProps extends ComponentProps<"button"> {
  variant?: Variant;
  size?: Size;
  busy?: boolean;
  /** The action needs the service: while the service does not answer, the button is disabled and says so. */
  needsService?: boolean;
  /** Why it cannot be pressed now, in a sentence; empty if it can. */
  unavailable?: string | false | null | undefined;
  icon?: ReactNode;
}

/**
 * While `busy` or `unavailable`, the label stays readable, the button keeps the focus, and presses do nothing. The
 * reason is shown on hover and announced to screen readers.
 */
export function Button({
  variant,
  size,
  busy = false,
  needsService = false,
  unavailable,
  icon,
  className,
  children,
  onClick,
  type = "button",
  disabled,
  title,
  ...rest
}: ButtonProps) {
  const away = useServiceAway() !== null && needsService;
  const refuses = busy || Boolean(unavailable);
  return (
    <button
      type={type}
      className={clsx(buttonClass(variant, size), className)}
      aria-busy={busy || undefined}
      aria-disabled={refuses || undefined}
      onClick={refuses ? (event) => event.preventDefault() : onClick}
      disabled={disabled || away}
      title={away ? SERVICE_AWAY : unavailable || title}
      {...rest}
    >
      {busy ? <LoaderCircle aria-hidden className="size-3.5 animate-spin" /> : icon}
      {children}
    </button>
  );
}

/** One key, or keys pressed together: `<Kbd>⌘K</Kbd>`. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line-strong bg-sunken px-1 font-mono text-2xs text-ink-soft">
      {children}
    </kbd>
  );
}
