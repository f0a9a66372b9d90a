"use client";

import { Search } from "lucide-react";
import { Kbd } from "@/ui/button";
import { showOverlay } from "./overlay";
import { useModKey } from "./use-mod-key";

/** Opens the command palette. Looks like a search field on a desktop and is a button on a phone. */
export function SearchButton() {
  const mod = useModKey();
  return (
    <button
      type="button"
      aria-label="Search runs, pages and actions"
      aria-keyshortcuts="Control+K Meta+K"
      aria-haspopup="dialog"
      onClick={() => showOverlay("palette")}
      className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-sunken px-2.5 text-sm text-ink-faint transition-colors hover:border-control-line hover:text-ink max-md:size-10 max-md:justify-center max-md:border-transparent max-md:bg-transparent max-md:p-0 max-md:text-ink-soft md:w-60 lg:w-80"
    >
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="grow text-left max-md:hidden">Search or jump to…</span>
      <span className="flex gap-0.5 max-md:hidden">
        <Kbd>{mod === "⌘" ? "⌘K" : "Ctrl K"}</Kbd>
      </span>
    </button>
  );
}
