import clsx from "clsx";
import { type ReactNode, useId } from "react";

export interface Segment<Value extends string> {
  value: Value;
  label: string;
  /** Shown instead of the label, which stays the accessible name. */
  icon?: ReactNode;
  disabled?: boolean;
  /** A word for new content of this choice, shown as a dot and added to its name. */
  news?: string | null;
}

interface SegmentedProps<Value extends string> {
  legend: string;
  options: readonly Segment<Value>[];
  /** `null` while unknown. */
  value: Value | null;
  onChange: (value: Value) => void;
  className?: string;
}

/** A choice among a few values, all visible. Built on radio buttons, so arrow keys move the choice. */
export function Segmented<Value extends string>({
  legend,
  options,
  value,
  onChange,
  className,
}: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset
      className={clsx(
        "inline-flex max-w-full rounded-md border border-line-strong bg-sunken p-0.5",
        className,
      )}
    >
      <legend className="sr-only">{legend}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          title={option.news ?? (option.icon ? option.label : undefined)}
          className={clsx(
            "relative grid h-6 min-w-6 place-items-center rounded-sm text-xs font-medium whitespace-nowrap transition-colors max-md:h-8 max-md:min-w-8",
            "has-focus-visible:outline-2 has-focus-visible:outline-accent has-disabled:opacity-50",
            !option.icon && "px-2 max-md:px-3",
            option.value === value
              ? "bg-raised text-ink shadow-card ring-1 ring-line-strong"
              : "text-ink-soft hover:text-ink",
          )}
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            aria-label={option.news ? `${option.label}, ${option.news}` : option.label}
            disabled={option.disabled}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.icon ?? option.label}
          {option.news && (
            <span
              aria-hidden
              className="absolute top-0.5 right-1 size-1.5 animate-breathe rounded-full bg-accent"
            />
          )}
        </label>
      ))}
    </fieldset>
  );
}
