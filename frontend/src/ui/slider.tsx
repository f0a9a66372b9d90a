import clsx from "clsx";
import type { CSSProperties } from "react";

interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number | "any";
  onChange: (value: number) => void;
  /** The value with its unit, for screen readers. */
  valueText?: string;
  disabled?: boolean;
  className?: string;
}

/**
 * A native range input: arrow keys, Page Up and Down, Home and End. It does not show its value; show that
 * beside it.
 */
export function Slider({
  label,
  value,
  min,
  max,
  step = 1,
  onChange,
  valueText,
  disabled,
  className,
}: SliderProps) {
  const share = max > min ? Math.min(Math.max((value - min) / (max - min), 0), 1) : 0;
  return (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={valueText}
      value={value}
      min={min}
      max={max}
      step={step}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
      style={{ "--share": `${share * 100}%` } as CSSProperties}
      className={clsx("slider", className)}
    />
  );
}
