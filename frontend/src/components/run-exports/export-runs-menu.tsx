import type { ReactNode } from "react";
import { Menu } from "@/components/ui/menu";
import { type ExportedRuns, runsLink } from "@/lib/api/queries/exchange";
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
