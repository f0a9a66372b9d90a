import clsx from "clsx";
import type { ReactNode } from "react";

interface SwitchProps {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  className?: string;
}

/** A setting that takes effect at once. For a choice that a button confirms, use a checkbox. */
export function Switch({ label, checked, onChange, disabled, className }: SwitchProps) {
  return (
    <label
      className={clsx(
        "relative inline-flex min-h-6 items-center gap-2 text-sm select-none has-disabled:opacity-55 max-md:min-h-10",
        className,
      )}
    >
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="peer sr-only"
      />
      <span
        aria-hidden
        className="flex h-4.5 w-8 shrink-0 items-center rounded-full border border-control-line bg-sunken p-0.5 transition-colors peer-checked:border-accent peer-checked:bg-accent peer-checked:*:translate-x-3.5 peer-checked:*:bg-accent-ink peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent"
      >
        <span className="size-3 rounded-full bg-control-line transition-transform" />
      </span>
      {label}
    </label>
  );
}
