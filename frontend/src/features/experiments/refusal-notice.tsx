import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { explainAction, type FieldProblem } from "@/lib/api";

interface RefusalNoticeProps {
  error: Error;
  /** Set where so much was asked for that the service wants it said twice. */
  asksBack: FieldProblem | undefined;
  /** Whether fields of the form say what is wrong with them. */
  marked: boolean;
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
        <p>{asksBack.detail.replace(/ Say `confirm.*$/, "")}</p>
        <Button size="sm" className="mt-2 max-md:h-10" needsService onClick={onInsist}>
          Start all the same
        </Button>
      </Notice>
    );
  }
  return (
    <Notice tone="bad" role="alert" title="The experiment was not started">
      {marked && <p>The marked fields say what is wrong with them.</p>}
      {others.map(({ pointer, detail }) => (
        <p key={pointer}>{detail}</p>
      ))}
      {!marked && others.length === 0 && <p>{explainAction(error)}</p>}
    </Notice>
  );
}
