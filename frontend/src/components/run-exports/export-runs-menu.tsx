import type { ReactNode } from "react";
import { type ExportedRuns, runsLink } from "@/api/run-files";
import { Menu } from "@/ui/menu";
import { ExportItems } from "./export-items";

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
