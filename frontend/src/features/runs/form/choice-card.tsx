import clsx from "clsx";
import type { ReactNode } from "react";

interface ChoiceCardProps {
  name: string;
  value: string;
  label: string;
  checked: boolean;
  disabled?: boolean;
  onChoose: () => void;
  className?: string;
  children: ReactNode;
}

/** A radio button in the form of a card. Arrow keys move the choice. */
export function ChoiceCard(props: ChoiceCardProps) {
  const { name, value, label, checked, disabled, onChoose, className, children } = props;
  return (
    <label
      className={clsx(
        "relative flex min-w-0 flex-col rounded-md border px-3 py-2 transition-colors",
        "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
        checked && "border-accent bg-accent-tint ring-1 ring-accent",
        !checked &&
          !disabled &&
          "border-line-strong bg-raised hover:border-control-line hover:bg-sunken",
        disabled && "border-line bg-sunken",
        className,
      )}
    >
      <input
        type="radio"
        name={name}
        value={value}
        checked={checked}
        disabled={disabled}
        onChange={onChoose}
        aria-label={label}
        aria-describedby={`${name}-${value}`}
        className="sr-only"
      />
      <span className={clsx("text-sm font-medium", disabled && "text-ink-faint")}>{label}</span>
      <span id={`${name}-${value}`} className="contents">
        {children}
      </span>
    </label>
  );
}
