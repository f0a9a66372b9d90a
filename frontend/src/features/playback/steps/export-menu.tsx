import { Download } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem } from "@/components/ui/menu";
import { type Evaluation, type StepFormat, type StepsInfo, stepsExport } from "@/lib/api";
import { follow } from "@/lib/download";

const FORMATS: readonly { format: StepFormat; label: string; extension: string }[] = [
  { format: "csv", label: "CSV, a number a cell", extension: "csv" },
  { format: "ndjson", label: "NDJSON, a record a line", extension: "ndjson" },
  { format: "parquet", label: "Parquet, the file as it is", extension: "parquet" },
  { format: "minari", label: "Minari, a dataset", extension: "minari.zip" },
];

interface ExportMenuProps {
  evaluation: Evaluation;
  info: StepsInfo | undefined;
}

export function ExportMenu({ evaluation, info }: ExportMenuProps) {
  const pictures = info?.observation.numbers === 0;
  return (
    <Menu
      trigger={
        <Button size="sm" icon={<Download aria-hidden className="size-3.5" />}>
          Export
        </Button>
      }
    >
      {FORMATS.map(({ format, label, extension }) => (
        <MenuItem
          key={format}
          reason={format === "minari" && pictures ? "Of pictures only hashes are kept" : null}
          onSelect={() =>
            follow(
              stepsExport(evaluation.run_id, evaluation.id, format),
              `${evaluation.run_id}-${evaluation.id}.${extension}`,
            )
          }
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
