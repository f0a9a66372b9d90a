import clsx from "clsx";
import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";

type Variant = "primary" | "secondary" | "quiet" | "danger";
type Size = "sm" | "md" | "lg";

const base =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:pointer-events-none aria-disabled:opacity-55";

const variants: Record<Variant, string> = {
  primary: "bg-accent text-accent-ink enabled:hover:bg-accent-strong",
  secondary:
    "border border-line-strong bg-raised text-ink enabled:hover:border-control-line enabled:hover:bg-sunken",
  quiet: "text-ink-soft enabled:hover:bg-rest-tint enabled:hover:text-ink",
  danger:
    "border border-line-strong bg-raised text-bad enabled:hover:border-bad enabled:hover:bg-bad-tint",
};

const sizes: Record<Size, string> = {
  sm: "h-7 px-2 text-xs",
  md: "h-8 px-3 text-sm max-md:h-10",
  lg: "h-10 px-4 text-base max-md:h-11",
};

export function buttonClass(variant: Variant = "secondary", size: Size = "md"): string {
  return clsx(base, variants[variant], sizes[size]);
}

interface ButtonProps extends ComponentProps<"button"> {
  variant?: Variant;
  size?: Size;
  busy?: boolean;
  /** The action needs the service: while the service does not answer, the button is disabled and says so. */
  needsService?: boolean;
  icon?: ReactNode;
}

/** While `busy`, the label stays readable, the focus stays on the button, and further presses do nothing. */
export function Button({
  variant,
  size,
  busy = false,
  needsService = false,
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
  return (
    <button
      type={type}
      className={clsx(buttonClass(variant, size), className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      disabled={disabled || away}
      title={away ? SERVICE_AWAY : title}
      {...rest}
    >
      {busy ? <LoaderCircle aria-hidden className="size-3.5 animate-spin" /> : icon}
      {children}
    </button>
  );
}
