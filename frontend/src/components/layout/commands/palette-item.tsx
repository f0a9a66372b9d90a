"use client";

import { Command } from "cmdk";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Kbd } from "@/components/ui/kbd";

export function PaletteGroup({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:pt-2.5 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-2xs **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-faint"
    >
      {children}
    </Command.Group>
  );
}

interface PaletteItemProps {
  value: string;
  icon: LucideIcon;
  keywords?: string[];
  aside?: ReactNode;
  shortcut?: string;
  onSelect: () => void;
  children: ReactNode;
}

export function PaletteItem({
  value,
  icon: Icon,
  keywords,
  aside,
  shortcut,
  onSelect,
  children,
}: PaletteItemProps) {
  return (
    <Command.Item
      value={value}
      keywords={keywords}
      onSelect={onSelect}
      className="flex min-h-9 items-center gap-3 rounded-md px-2.5 text-sm select-none data-[selected=true]:bg-rest-tint max-md:min-h-11"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-faint" />
      <span className="min-w-0 grow truncate">{children}</span>
      {aside}
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </Command.Item>
  );
}
