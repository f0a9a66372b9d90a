import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";
import type { ExperimentDraft } from "./draft";
import type { Unfairness } from "./fairness";

interface FairnessNotesProps {
  found: readonly Unfairness[];
  onMend: (changes: Partial<ExperimentDraft>) => void;
}

/** What makes the comparison unfair, each with a button that mends it. */
export function FairnessNotes({ found, onMend }: FairnessNotesProps) {
  if (found.length === 0) return null;
  return (
    <Notice tone="warn" title="Not quite a fair comparison">
      <ul className="mt-1 flex flex-col gap-2">
        {found.map(({ says, mend, changes }) => (
          <li key={says} className="flex flex-col items-start gap-1.5">
            <span className="break-words">{says}</span>
            <Button size="sm" onClick={() => onMend(changes)}>
              {mend}
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
