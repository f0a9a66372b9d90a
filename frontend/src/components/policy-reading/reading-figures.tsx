import type { StepRecord } from "@/api/types";
import { ReadingFigure } from "./draw/reading-figure";
import { prepareReading } from "./prepare/reading";
import type { DrawnSpace } from "./prepare/space";

interface ReadingFiguresProps {
  record: StepRecord;
  action: DrawnSpace;
  /** What `chosenAction` says was chosen on what the record shows. */
  chosen: readonly number[] | null;
}

/** The policy's reading of one step: action probabilities, Q-values, or means and deviations. */
export function ReadingFigures({ record, action, chosen }: ReadingFiguresProps) {
  const pictures = record.reading ? prepareReading(record.reading, action, chosen) : [];
  return pictures.map((picture) => <ReadingFigure key={picture.title} picture={picture} />);
}
