"use client";

import { Command } from "cmdk";
import { Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { Dialog } from "radix-ui";
import { useDeferredValue, useRef, useState } from "react";
import { layer } from "@/ui/layer";
import { commandEntries, pageEntries } from "./command-entries";
import { typedAhead } from "./overlay";
import { paletteGroups } from "./palette-entries";
import { PaletteGroup } from "./palette-item";
import { GUIDES, NEW_RUN_ON, PLAY, useChoiceEntries } from "./use-choice-entries";
import { useCurrentRunEntries } from "./use-current-run-entries";
import { useRunEntries } from "./use-run-entries";

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
                Nothing fits
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
