import type { ReactNode } from "react";
import { LAYER_ID } from "@/ui/layer";
import { Toaster } from "@/ui/toast";
import { BottomBar } from "./bottom-bar";
import { Commands } from "./commands/commands";
import { SearchButton } from "./commands/search-button";
import { Connection } from "./connection";
import { Logo } from "./logo";
import { Notified } from "./notifications/notified";
import { ServiceAwayBar } from "./service-away-bar";
import { Sidebar } from "./sidebar";
import { StorageBar } from "./storage-bar";
import { ThemeToggle } from "./theme/theme-toggle";
import { ToastCauses } from "./toast-causes";

export function Shell({ children }: { children: ReactNode }) {
  return (
    <>
      <a
        href="#content"
        className="sr-only z-toast rounded-md bg-accent text-sm font-medium text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-bar">
        <div className="flex h-13 items-center justify-between gap-3 border-b border-line bg-surface px-4">
          <Logo />
          <SearchButton />
          <div className="flex shrink-0 items-center gap-3 sm:gap-4">
            <Connection />
            <ThemeToggle />
          </div>
        </div>
        <ServiceAwayBar />
        <StorageBar />
      </header>
      <div className="flex min-h-[calc(100dvh-3.25rem)]">
        <Sidebar />
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-[84rem] min-w-0 grow px-4 py-5 outline-none max-md:pb-24 md:px-6"
        >
          {children}
          <div id={LAYER_ID} />
        </main>
      </div>
      <BottomBar />
      <Toaster />
      <ToastCauses />
      <Notified />
      <Commands />
    </>
  );
}
