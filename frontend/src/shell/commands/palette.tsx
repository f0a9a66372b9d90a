"use client";

import { Command } from "cmdk";
import { Keyboard, type LucideIcon, Monitor, Moon, Plus, Search, Sun } from "lucide-react";
import { useRouter } from "next/navigation";
import { Dialog } from "radix-ui";
import { type ReactNode, useDeferredValue, useRef, useState } from "react";
import { type Findable, ranked } from "@/lib/rank";
import { routes } from "@/lib/routes";
import { Kbd } from "@/ui/button";
import { layer } from "@/ui/layer";
import { allPages } from "../navigation";
import { setTheme } from "../theme";
import {
  GUIDES,
  NEW_RUN_ON,
  PLAY,
  useChoiceEntries,
  useCurrentRunEntries,
  useRunEntries,
} from "./entries";
import { showOverlay, typedAhead } from "./overlay";

/** Groups shown only when something is typed. */
const FOUND_ONLY = [NEW_RUN_ON, PLAY, GUIDES];

/** The command palette: a search over everything that the app can do. */
export function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(typedAhead);
  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  const runs = useRunEntries(text, useDeferredValue(text), go);
  const entries = [
    ...useCurrentRunEntries(go, onClose),
    ...pageEntries(go),
    ...runs.entries,
    ...commandEntries(go, onClose),
    ...useChoiceEntries(go),
  ];
  const groups = paletteGroups(entries, text, FOUND_ONLY);
  const shown = groups.flatMap((group) => group.entries);
  // The entry selected by arrow keys, until the text changes; otherwise the best match, even if it
  // was loaded late.
  const [chosen, choose] = useState({ text, id: "" });
  const kept = chosen.text === text && shown.some(({ id }) => id === chosen.id);
  const best = shown.find(({ reason }) => !reason)?.id ?? "";
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal container={layer()}>
        <Dialog.Overlay className="fixed inset-0 z-overlay bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // Keeps the typed-ahead text from being selected by the focus.
            event.preventDefault();
            input.current?.focus();
            input.current?.setSelectionRange(text.length, text.length);
          }}
          className="fixed top-[max(0.5rem,10dvh)] left-1/2 z-layer w-[calc(100vw-1rem)] max-w-xl -translate-x-1/2 animate-float overflow-hidden rounded-lg border border-line-strong bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Command
            label="Command palette"
            shouldFilter={false}
            value={kept ? chosen.id : best}
            onValueChange={(id) => choose({ text, id })}
            loop
            vimBindings={false}
          >
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search aria-hidden className="size-4 shrink-0 text-ink-faint" />
              <Command.Input
                ref={input}
                value={text}
                onValueChange={setText}
                placeholder="Search runs, environments, guides and actions"
                className="h-12 w-full min-w-0 bg-transparent outline-none max-md:text-[1rem]"
              />
            </div>
            <Command.List
              label="Runs, pages and actions"
              className="max-h-[min(26rem,70dvh)] scroll-py-2 overflow-y-auto p-1.5"
            >
              <Command.Empty className="px-2.5 py-6 text-center text-sm text-ink-soft">
                Nothing matches
              </Command.Empty>
              {groups.map((group) => (
                <PaletteGroup key={group.heading} {...group} />
              ))}
              {runs.error && (
                <p className="px-2.5 py-2 text-sm text-ink-soft">Runs cannot be searched now.</p>
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

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

function PaletteGroup({ heading, entries }: { heading: string; entries: PaletteEntry[] }) {
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

/** A titled group of entries. */
export interface PaletteGroupEntries {
  heading: string;
  entries: PaletteEntry[];
}

/**
 * The groups that match `text`: the one with the best entry first, then the one with the next best. Groups in
 * `hidden` are left out while nothing is typed.
 */
function paletteGroups(
  entries: readonly PaletteEntry[],
  typed: string,
  hidden: readonly string[],
): PaletteGroupEntries[] {
  const shown =
    typed.trim() === ""
      ? entries.filter(({ group }) => !hidden.includes(group))
      : ranked(entries, typed);
  const groups = new Map<string, PaletteEntry[]>();
  for (const entry of shown) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups].map(([heading, members]) => ({ heading, entries: members }));
}

const themes = [
  { theme: "light", icon: Sun },
  { theme: "dark", icon: Moon },
  { theme: "system", icon: Monitor },
] as const;

const GO_TO = "Go to";
const DO = "Do";

/** Further words by which a page is found. */
const PAGE_WORDS: Record<string, readonly string[]> = {
  [routes.home]: ["home", "list"],
  [routes.compare]: ["side by side"],
  [routes.experiments]: [
    "seeds",
    "variants",
    "sweep",
    "search hyperparameters",
    "compare algorithms",
  ],
  [routes.analyse]: ["analytics", "group", "pivot", "scatter", "box plot", "sql", "query"],
  [routes.explain]: ["guides", "algorithms", "help", "hints"],
  [routes.play]: ["game", "keyboard", "human", "by hand"],
  [routes.settings]: ["about", "service", "version", "preferences", "options", "theme", "slots"],
  [routes.storage]: ["disk", "space", "quota", "prune", "free room", "rules"],
  [routes.trash]: ["deleted runs", "restore", "undo"],
};

export function pageEntries(go: (href: string) => void): PaletteEntry[] {
  return allPages.map(({ href, label, icon, keys }) => ({
    id: `page ${href}`,
    group: GO_TO,
    icon,
    name: label,
    words: ["go to", ...(PAGE_WORDS[href] ?? [])],
    shortcut: keys,
    onSelect: () => go(href),
  }));
}

function commandEntries(go: (href: string) => void, close: () => void): PaletteEntry[] {
  return [
    {
      id: "new run",
      group: DO,
      icon: Plus,
      name: "New run",
      words: ["create", "train", "start"],
      shortcut: "N",
      onSelect: () => go(routes.newRun),
    },
    ...themes.map(({ theme, icon }) => ({
      id: `${theme} theme`,
      group: DO,
      icon,
      name: `Switch to the ${theme} theme`,
      words: ["colour", "mode", "appearance", "settings"],
      onSelect: () => {
        setTheme(theme);
        close();
      },
    })),
    {
      id: "shortcuts",
      group: DO,
      icon: Keyboard,
      name: "Keyboard shortcuts",
      words: ["help", "keys"],
      shortcut: "?",
      onSelect: () => showOverlay("shortcuts"),
    },
  ];
}
