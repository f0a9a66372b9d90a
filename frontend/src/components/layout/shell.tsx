import type { ReactNode } from "react";
import { LAYER_ID } from "@/components/ui/layer";
import { Toaster } from "@/components/ui/toast";
import { Connection } from "./connection";
import { Logo } from "./logo";
import { NavLinks } from "./nav-links";
import { ThemeToggle } from "./theme/theme-toggle";

export function Shell({ children }: { children: ReactNode }) {
  return (
    <>
      <a
        href="#content"
        className="sr-only z-toast rounded-md bg-accent text-sm font-medium text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-bar flex h-13 items-center justify-between gap-4 border-b border-line bg-surface px-4">
        <Logo />
        <div className="flex shrink-0 items-center gap-3 sm:gap-4">
          <Connection />
          <ThemeToggle />
        </div>
      </header>
      <div className="flex min-h-[calc(100dvh-3.25rem)]">
        <div className="hidden w-44 shrink-0 border-r border-line md:block">
          <NavLinks
            label="Main"
            className="sticky top-13 flex flex-col gap-0.5 p-2.5"
            linkClass="flex h-8 items-center gap-2.5 rounded-md px-2.5 text-sm font-medium transition-colors"
            currentClass="bg-rest-wash text-ink"
            otherClass="text-ink-soft hover:bg-rest-wash hover:text-ink"
            iconClass="size-4"
          />
        </div>
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-[84rem] min-w-0 grow px-4 py-5 outline-none max-md:pb-24 md:px-6"
        >
          {children}
          <div id={LAYER_ID} />
        </main>
      </div>
      <NavLinks
        label="Main"
        className="fixed inset-x-0 bottom-0 z-bar grid grid-cols-3 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
        linkClass="flex h-14 flex-col items-center justify-center gap-1 text-2xs font-medium -outline-offset-2!"
        currentClass="text-accent"
        otherClass="text-ink-soft"
        iconClass="size-5"
      />
      <Toaster />
    </>
  );
}
