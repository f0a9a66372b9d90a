import type { Evaluation } from "@/api/types";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";
import { KeptFrames } from "./steps/kept-frames";

interface EvaluationFailureProps {
  evaluation: Evaluation;
  retrying: boolean;
  /** Left out when there is nothing to evaluate any more. */
  onRetry?: () => void;
}

export function EvaluationFailure({ evaluation, retrying, onRetry }: EvaluationFailureProps) {
  return (
    <Notice tone="bad" role="alert" title="The evaluation failed">
      <p className="break-words text-ink-soft">
        {evaluation.cause ?? "The service gives no cause."}
      </p>
      {evaluation.has_frames && (
        <div className="mt-2">
          <KeptFrames evaluation={evaluation} onPick={null} />
        </div>
      )}
      {onRetry && (
        <Button size="sm" className="mt-2" needsService busy={retrying} onClick={onRetry}>
          Evaluate again
        </Button>
      )}
    </Notice>
  );
}
