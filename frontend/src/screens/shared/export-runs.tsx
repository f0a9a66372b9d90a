"use client";

import { ChartLine, Package, Table } from "lucide-react";
import type { ReactNode } from "react";
import { type ExportedRuns, type RunsFormat, runsLink } from "@/api/run-files";
import { follow } from "@/lib/download";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { Menu, MenuItem } from "@/ui/menu";

interface ExportRunsMenuProps {
  /** Which runs. */
  of: ExportedRuns;
  /** The button that opens the menu. */
  trigger: ReactNode;
}

/** A menu that downloads several runs in one zip archive, in a format of choice. */
export function ExportRunsMenu({ of, trigger }: ExportRunsMenuProps) {
  return (
    <Menu trigger={trigger}>
      <ExportItems file={(format) => runsLink(of, format)} />
    </Menu>
  );
}

const FORMATS: readonly { format: RunsFormat; label: string; icon: ReactNode }[] = [
  { format: "csv", label: "Metrics as CSV", icon: <Table /> },
  { format: "json", label: "Metrics as JSON", icon: <Table /> },
  { format: "parquet", label: "Metrics as Parquet", icon: <Table /> },
  { format: "tensorboard", label: "TensorBoard logs", icon: <ChartLine /> },
  { format: "bundle", label: "Bundle", icon: <Package /> },
];

interface ExportItemsProps {
  /** Address and file name of the export in a format. */
  file: (format: RunsFormat) => { address: string; name: string };
}

/** Items of a menu that download runs, one for each format. */
export function ExportItems({ file }: ExportItemsProps) {
  const away = useServiceAway() === null ? null : SERVICE_AWAY;
  return FORMATS.map(({ format, label, icon }) => (
    <MenuItem
      key={format}
      icon={icon}
      reason={away}
      onSelect={() => {
        const { address, name } = file(format);
        follow(address, name);
      }}
    >
      {label}
    </MenuItem>
  ));
}
