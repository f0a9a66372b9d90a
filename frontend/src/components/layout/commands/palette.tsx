"use client";

import { Command } from "cmdk";
import { Keyboard, Monitor, Moon, Plus, Search, Sun } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { Dialog } from "radix-ui";
import { useDeferredValue, useRef, useState } from "react";
import { layer } from "@/components/ui/layer";
import { isRunId, routes } from "@/lib/url";
import { destinations } from "../navigation";
import { setTheme } from "../theme/theme";
import { match } from "./match";
import { showOverlay, typedAhead } from "./overlay";
import { PaletteGroup, PaletteItem } from "./palette-item";
import { PaletteRunActions } from "./palette-run-actions";
import { PaletteRuns } from "./palette-runs";

const themes = [
  { theme: "light", icon: Sun },
  { theme: "dark", icon: Moon },
  { theme: "system", icon: Monitor },
] as const;

/** Everything the app can do, found by typing. */
export function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const runId = useCurrentRun();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(typedAhead);
  const searched = useDeferredValue(text);
  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal container={layer()}>
        <Dialog.Overlay className="fixed inset-0 z-overlay bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // Left alone, the focus would select what was typed ahead.
            event.preventDefault();
            input.current?.focus();
            input.current?.setSelectionRange(text.length, text.length);
          }}
          className="fixed top-[max(0.5rem,10dvh)] left-1/2 z-layer w-[calc(100vw-1rem)] max-w-xl -translate-x-1/2 animate-float overflow-hidden rounded-lg border border-line-strong bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Command label="Command palette" filter={match} loop vimBindings={false}>
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search aria-hidden className="size-4 shrink-0 text-ink-faint" />
              <Command.Input
                ref={input}
                value={text}
                onValueChange={setText}
                placeholder="Search runs, pages and actions"
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
              {runId && <PaletteRunActions id={runId} go={go} close={onClose} />}
              <PaletteGroup heading="Go to">
                {destinations.map(({ href, label, icon, keys }) => (
                  <PaletteItem
                    key={href}
                    value={`go to ${label}`}
                    icon={icon}
                    shortcut={keys}
                    onSelect={() => go(href)}
                  >
                    {label}
                  </PaletteItem>
                ))}
              </PaletteGroup>
              <PaletteRuns text={text} searched={searched} go={go} />
              <PaletteGroup heading="Do">
                <PaletteItem
                  value="new run"
                  icon={Plus}
                  keywords={["create", "train", "start"]}
                  shortcut="N"
                  onSelect={() => go(routes.newRun)}
                >
                  New run
                </PaletteItem>
                {themes.map(({ theme, icon }) => (
                  <PaletteItem
                    key={theme}
                    value={`${theme} theme`}
                    icon={icon}
                    keywords={["colour", "mode", "appearance"]}
                    onSelect={() => {
                      setTheme(theme);
                      onClose();
                    }}
                  >
                    Switch to the {theme} theme
                  </PaletteItem>
                ))}
                <PaletteItem
                  value="keyboard shortcuts"
                  icon={Keyboard}
                  keywords={["help", "keys"]}
                  shortcut="?"
                  onSelect={() => showOverlay("shortcuts")}
                >
                  Keyboard shortcuts
                </PaletteItem>
              </PaletteGroup>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useCurrentRun(): string | null {
  const path = usePathname();
  const id = useSearchParams().get("id") ?? "";
  return path.startsWith("/runs/view") && isRunId(id) ? id : null;
}
