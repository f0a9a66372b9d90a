"use client";

import { ChevronsUpDown, Copy, Download, GitCompareArrows, Trash2 } from "lucide-react";
import { suits } from "@/api/run-availability";
import { runsLink } from "@/api/run-files";
import { isActive } from "@/api/runs";
import type { Run, SeedGroup } from "@/api/types";
import { plural } from "@/lib/number";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { ExportItems } from "@/screens/shared/export-runs";
import { MenuItem, MenuSeparator, MenuSub } from "@/ui/menu";
import { MenuAt } from "./menu-at";

export interface GroupMenuActions {
  openGroup: (group: SeedGroup) => void;
  unfold: (group: SeedGroup) => void;
  duplicate: (run: Run) => void;
  removeGroup: (group: SeedGroup, run: Run) => void;
}

interface GroupMenuProps {
  group: SeedGroup;
  /** The run that the group is named after. */
  run: Run;
  button: HTMLElement;
  actions: GroupMenuActions;
  onClose: () => void;
}

export function GroupMenu({ group, run, button, actions, onClose }: GroupMenuProps) {
  const away = useServiceAway() !== null;
  const seeds = plural(group.run_ids.length, "seed");
  const active = Object.keys(group.statuses).some((status) =>
    isActive({ status: status as Run["status"] }),
  );
  const reason = active ? "Stop its runs first" : away ? SERVICE_AWAY : null;
  return (
    <MenuAt label={`Actions for ${seeds} of ${run.name}`} button={button} onClose={onClose}>
      <MenuItem
        icon={<GitCompareArrows />}
        shortcut="Enter"
        onSelect={() => actions.openGroup(group)}
      >
        Compare its seeds
      </MenuItem>
      <MenuItem icon={<ChevronsUpDown />} shortcut="→" onSelect={() => actions.unfold(group)}>
        Show each seed
      </MenuItem>
      {suits("duplicate", run) && (
        <MenuItem icon={<Copy />} onSelect={() => actions.duplicate(run)}>
          Duplicate…
        </MenuItem>
      )}
      <MenuSub icon={<Download />} label={`Download all ${seeds}`}>
        <ExportItems file={(format) => runsLink({ runs: group.run_ids }, format)} />
      </MenuSub>
      <MenuSeparator />
      <MenuItem
        icon={<Trash2 />}
        danger
        reason={reason}
        onSelect={() => actions.removeGroup(group, run)}
      >
        Delete all {seeds}
      </MenuItem>
    </MenuAt>
  );
}
