import clsx from "clsx";
import { type ReactNode, useId } from "react";

export interface RadioCard<Value extends string> {
  value: Value;
  title: string;
  aside?: ReactNode;
  summary?: string;
}

interface RadioCardsProps<Value extends string> {
  legend: string;
  options: readonly RadioCard<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  error?: string;
  /** Side by side when there is little to read on each. */
  columns?: boolean;
}

export function RadioCards<Value extends string>({
  legend,
  options,
  value,
  onChange,
  error,
  columns,
}: RadioCardsProps<Value>) {
  const name = useId();
  return (
    <fieldset aria-describedby={error ? `${name}-error` : undefined}>
      <legend className="mb-1 text-xs font-medium text-ink-soft">{legend}</legend>
      <div className={clsx("grid gap-1.5", columns && "grid-cols-2")}>
        {options.map((option) => (
          <label
            key={option.value}
            className={clsx(
              "relative flex min-w-0 flex-col gap-0.5 rounded-md border px-3 py-2 transition-colors",
              "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
              option.value === value
                ? "border-accent bg-accent-wash"
                : "border-line-strong bg-raised hover:border-control-line hover:bg-sunken",
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="sr-only"
              aria-label={option.title}
              aria-describedby={option.summary ? `${name}-${option.value}` : undefined}
            />
            <span className="flex items-center justify-between gap-2">
              <span className="flex items-center gap-2 text-sm font-medium">
                <Dot on={option.value === value} />
                {option.title}
              </span>
              <span className="text-xs text-ink-soft tabular-nums">{option.aside}</span>
            </span>
            {option.summary && (
              <span
                id={`${name}-${option.value}`}
                className={clsx(
                  "pl-5.5 text-xs text-ink-soft",
                  !columns && option.value !== value && "max-md:hidden",
                )}
              >
                {option.summary}
              </span>
            )}
          </label>
        ))}
      </div>
      {error && (
        <p id={`${name}-error`} className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Dot({ on }: { on: boolean }) {
  return (
    <span
      aria-hidden
      className={clsx(
        "grid size-3.5 place-items-center rounded-full border",
        on ? "border-accent" : "border-control-line",
      )}
    >
      {on && <span className="size-1.5 rounded-full bg-accent" />}
    </span>
  );
}
