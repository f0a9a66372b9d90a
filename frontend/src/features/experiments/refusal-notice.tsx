import { explainAction, type FieldProblem } from "@/api/http";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";

interface RefusalNoticeProps {
  error: Error;
  /** Set where so much was asked for that the service wants it said twice. */
  asksBack: FieldProblem | undefined;
  /** How many fields of the form say what is wrong with them. */
  marked: number;
  /** What is wrong with what has no field. */
  others: readonly FieldProblem[];
  /** Start what was asked back. */
  onInsist: () => void;
}

/** Why an experiment was not started. */
export function RefusalNotice({ error, asksBack, marked, others, onInsist }: RefusalNoticeProps) {
  if (asksBack) {
    return (
      <Notice tone="warn" role="alert" title="That is much">
        <p>{asksBack.detail}</p>
        <Button size="sm" className="mt-2 max-md:h-10" needsService onClick={onInsist}>
          Start all the same
        </Button>
      </Notice>
    );
  }
  return (
    <Notice tone="bad" role="alert" title="The experiment was not started">
      {marked > 0 && (
        <p>
          The marked{" "}
          {marked === 1 ? "field says what is wrong with it" : "fields say what is wrong with them"}
          .
        </p>
      )}
      {others.map(({ pointer, detail }) => (
        <p key={pointer}>{detail}</p>
      ))}
      {marked === 0 && others.length === 0 && <p>{explainAction(error)}</p>}
    </Notice>
  );
}
