import type { ReactNode } from "react";
import { Button } from "@/ui/button";

interface FormFooterProps {
  /** How much would be trained. */
  cost: string;
  /** Why that is more or less than was asked for; null: it is not. */
  note: string | null;
  /** Why it cannot be started as it is; undefined: it can. */
  reason: string | undefined;
  /** Leads to what the reason is about; null: that is no field. */
  onShow: (() => void) | null;
  /** Why it was not started, or a question that has to be answered first. */
  refusal: ReactNode;
  /** Whether `refusal` is such a question. */
  asks: boolean;
  busy: boolean;
  onCancel: () => void;
  onStart: () => void;
}

/** What stays in view below the form: what it costs or why it cannot be started, and what came of starting it. */
export function FormFooter(props: FormFooterProps) {
  const { cost, note, reason, onShow, refusal, asks, busy, onCancel, onStart } = props;
  return (
    <>
      {refusal && <div className="max-h-[40dvh] basis-full overflow-y-auto">{refusal}</div>}
      <div className="flex min-w-0 grow basis-32 flex-wrap items-center gap-x-1 text-xs text-ink-soft">
        <span className="tabular-nums" role="status">
          {reason ?? cost}
          {!reason && note && <span className="block text-2xs">{note}</span>}
        </span>
        {reason && onShow && (
          <Button variant="quiet" size="sm" className="max-md:h-10" onClick={onShow}>
            Show it
          </Button>
        )}
      </div>
      <div className="flex gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          variant="primary"
          needsService
          busy={busy}
          unavailable={reason ?? (asks && "Answer the question above first.")}
          onClick={onStart}
        >
          Start
        </Button>
      </div>
    </>
  );
}
