import { Download } from "lucide-react";
import { type StepFormat, type StepSearch, stepsExport } from "@/api/steps";
import type { Evaluation, StepsInfo } from "@/api/types";
import { follow } from "@/lib/download";
import { Button } from "@/ui/button";
import { Menu, MenuItem } from "@/ui/menu";

const FORMATS: readonly { format: StepFormat; label: string; extension: string }[] = [
  { format: "csv", label: "CSV, a number a cell", extension: "csv" },
  { format: "ndjson", label: "NDJSON, a record a line", extension: "ndjson" },
  { format: "parquet", label: "Parquet, the file as it is", extension: "parquet" },
  { format: "minari", label: "Minari, a dataset", extension: "minari.zip" },
];

interface ExportMenuProps {
  evaluation: Evaluation;
  info: StepsInfo | undefined;
  /** What the table shows. */
  search: StepSearch;
}

/** Exports the records that the table shows, in the order in which they were played. */
export function ExportMenu({ evaluation, info, search }: ExportMenuProps) {
  const { episode, where = [] } = search;
  const filtered = episode !== undefined || where.length > 0;
  const reasons: Partial<Record<StepFormat, string>> = {};
  if (where.length > 0) reasons.minari = "A dataset holds whole episodes: clear the filter";
  if (info?.observation.numbers === 0) reasons.minari = "Of pictures only hashes are kept";
  return (
    <Menu
      trigger={
        <Button size="sm" icon={<Download aria-hidden className="size-3.5" />}>
          {filtered ? "Export these" : "Export"}
        </Button>
      }
    >
      {FORMATS.map(({ format, label, extension }) => (
        <MenuItem
          key={format}
          reason={reasons[format] ?? null}
          onSelect={() =>
            follow(
              stepsExport(evaluation.run_id, evaluation.id, format, search),
              `${evaluation.run_id}-${evaluation.id}${filtered ? "-selected" : ""}.${extension}`,
            )
          }
        >
          {filtered && format === "parquet" ? "Parquet" : label}
        </MenuItem>
      ))}
    </Menu>
  );
}
