import type { ReactNode } from "react";
import { Slider } from "@/ui/slider";

interface ControlProps {
  label: string;
  /** Its symbol in the formula. */
  symbol?: ReactNode;
  value: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number) => void;
  /** The value with its unit, shown and read by screen readers. */
  text: string;
}

/** A slider with its name and its value. */
export function Control({ label, symbol, text, ...slider }: ControlProps) {
  return (
    <div className="min-w-0">
      <div className="flex items-baseline justify-between gap-2 text-xs">
        <span aria-hidden className="truncate font-medium text-ink-soft">
          {label}
          {symbol && <span className="ml-1.5 font-mono text-ink-faint">{symbol}</span>}
        </span>
        <span aria-hidden className="font-mono tabular-nums">
          {text}
        </span>
      </div>
      <Slider label={label} valueText={text} {...slider} />
    </div>
  );
}

/** Lays sliders out side by side where there is room. */
export function Controls({ children }: { children: ReactNode }) {
  return (
    <div className="grid gap-x-6 gap-y-3 sm:grid-cols-[repeat(auto-fit,minmax(11rem,1fr))]">
      {children}
    </div>
  );
}

/** A caption that describes the picture in words and changes with it. */
export function PictureCaption({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <div className="min-h-20 border-l-2 border-accent pl-3.5 text-sm" aria-live="polite">
      <p className="font-semibold">{title}</p>
      <p className="mt-0.5 max-w-[72ch] text-ink-soft">{children}</p>
    </div>
  );
}
