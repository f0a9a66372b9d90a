import clsx from "clsx";
import { type ReactNode, useId } from "react";

export interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

/** Why a form whose fields are wrong cannot be sent. */
export const MEND_FIRST = "Mend what is marked first.";

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
