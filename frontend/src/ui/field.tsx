"use client";

import clsx from "clsx";
import { RotateCcw } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { parseNumber, setting } from "@/lib/number";
import { Button } from "./button";
import { controlClass } from "./select";

export interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

/** Why a form whose fields are wrong cannot be sent. */
export const MEND_FIRST = "Fix the highlighted fields first.";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string;
  /** Placed at the end of the label's line. */
  aside?: ReactNode;
  mono?: boolean;
  className?: string;
  children: (control: ControlProps) => ReactNode;
}

/** A label, its control, and the hint or error that describes the control. */
export function Field({ label, hint, error, aside, mono, className, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={clsx("flex min-w-0 flex-col gap-1", className)}>
      <div className="flex items-baseline justify-between gap-2">
        <label
          htmlFor={id}
          className={clsx("truncate text-xs font-medium text-ink-soft", mono && "font-mono")}
        >
          {label}
        </label>
        {aside}
      </div>
      {children({
        id,
        "aria-describedby": note ? `${id}-note` : undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {note && (
        <p
          id={`${id}-note`}
          className={clsx("text-xs wrap-anywhere", error ? "text-bad" : "text-ink-faint")}
        >
          {note}
        </p>
      )}
    </div>
  );
}

interface ThresholdFieldProps {
  /** The threshold in the address; null: the environment's own. */
  chosen: number | null;
  /** The threshold that the service used. */
  used: number | null;
  /** The text shown if there is no threshold. */
  none?: string;
  onChange: (threshold: number | null) => void;
}

/** A field for the return to reach. Every valid number takes effect while typing. */
export function ThresholdField({ chosen, used, none = "none", onChange }: ThresholdFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const shown = draft ?? setting(chosen ?? used ?? "");
  const wrong = draft !== null && draft.trim() !== "" && !Number.isFinite(parseNumber(draft));
  const type = (text: string) => {
    setDraft(text);
    if (text.trim() === "") onChange(null);
    else if (Number.isFinite(parseNumber(text))) onChange(parseNumber(text));
  };
  return (
    <div className="flex items-center gap-1.5">
      {wrong && (
        <span id={`${id}-note`} role="alert" className="text-xs text-bad">
          Enter a number
        </span>
      )}
      <label htmlFor={id} className="text-xs text-ink-soft">
        Threshold
      </label>
      <input
        id={id}
        aria-invalid={wrong || undefined}
        aria-describedby={wrong ? `${id}-note` : undefined}
        inputMode="decimal"
        autoComplete="off"
        placeholder={none}
        value={shown}
        onChange={(event) => type(event.target.value)}
        onBlur={() => setDraft(null)}
        className={clsx(controlClass, "w-20!")}
      />
      {chosen !== null && (
        <Button
          variant="quiet"
          aria-label="Threshold of the environment"
          title="Use the environment's threshold"
          onClick={() => {
            setDraft(null);
            onChange(null);
          }}
          icon={<RotateCcw aria-hidden className="size-3.5" />}
        />
      )}
    </div>
  );
}

/**
 * Moves to the first field of a form that has an error, or that is required and empty: opens its section, scrolls to it
 * and focuses it. Returns whether there is one.
 */
export function revealProblem(form: HTMLElement | null): boolean {
  const bad = form?.querySelector<HTMLElement>("[aria-invalid=true], [aria-required=true]");
  let folded = bad?.closest("details");
  while (folded) {
    folded.open = true;
    folded = folded.parentElement?.closest("details");
  }
  bad?.focus({ preventScroll: true });
  bad?.scrollIntoView({ block: "center" }); // not behind the buttons at the foot of the form
  return bad != null;
}
