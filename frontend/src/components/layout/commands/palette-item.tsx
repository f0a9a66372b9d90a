"use client";

import { Command } from "cmdk";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Findable } from "@/lib/rank";
import { Kbd } from "@/ui/button";

/** An entry of the command palette. */
export interface PaletteEntry extends Findable {
  /** Unique in the palette. */
  id: string;
  group: string;
  icon: LucideIcon;
  /** Shown instead of the name. */
  label?: ReactNode;
  /** A second part in a fainter colour. */
  detail?: string;
  /** Placed at the end of the line, for instance a status. */
  aside?: ReactNode;
  shortcut?: string;
  /** Why the entry is disabled; shown instead of the detail. */
  reason?: string | null;
  onSelect: () => void;
}

export function PaletteGroup({ heading, entries }: { heading: string; entries: PaletteEntry[] }) {
  return (
    <Command.Group
      heading={heading}
      value={heading}
      className="**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:pt-2.5 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-2xs **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-faint"
    >
      {entries.map((entry) => (
        <PaletteItem key={entry.id} entry={entry} />
      ))}
    </Command.Group>
  );
}

function PaletteItem({ entry }: { entry: PaletteEntry }) {
  const { id, name, label = name, detail, icon: Icon, aside, shortcut, reason, onSelect } = entry;
  return (
    <Command.Item
      value={id}
      disabled={Boolean(reason)}
      onSelect={onSelect}
      className="flex min-h-9 items-center gap-3 rounded-md px-2.5 text-sm select-none data-[disabled=true]:opacity-55 data-[selected=true]:bg-rest-tint max-md:min-h-11"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-faint" />
      <span className="min-w-0 grow truncate">
        {label}
        {(reason ?? detail) && (
          <span className="ml-2 text-xs text-ink-faint">{reason ?? detail}</span>
        )}
      </span>
      {aside}
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </Command.Item>
  );
}
