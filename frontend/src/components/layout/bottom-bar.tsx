"use client";

import clsx from "clsx";
import { Ellipsis, Plus } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { routes } from "@/lib/routes";
import { showOverlay } from "./commands/overlay";
import { allPages, type Destination } from "./navigation";

const itemClass =
  "flex h-14 flex-col items-center justify-center gap-1 text-2xs font-medium -outline-offset-2!";

/** Navigation on phones. Runs, Compare, New run, Explain, and a menu of the other pages. */
export function BottomBar() {
  const path = usePathname();
  const inBar = allPages.filter((page) => page.inBar);
  const isElsewhere = allPages.some((page) => !page.inBar && page.owns(path));
  const link = ({ href, label, icon: Icon, owns }: Destination) => (
    <Link
      key={href}
      href={href}
      aria-current={owns(path) ? "page" : undefined}
      className={clsx(itemClass, owns(path) ? "text-accent" : "text-ink-soft")}
    >
      <Icon aria-hidden className="size-5" />
      {label}
    </Link>
  );
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-bar grid grid-cols-5 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {inBar.slice(0, 2).map(link)}
      <Link href={routes.newRun} className={clsx(itemClass, "text-ink-soft")}>
        <Plus aria-hidden className="size-5" />
        New run
      </Link>
      {inBar.slice(2).map(link)}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => showOverlay("pages")}
        className={clsx(itemClass, isElsewhere ? "text-accent" : "text-ink-soft")}
      >
        <Ellipsis aria-hidden className="size-5" />
        More
      </button>
    </nav>
  );
}
