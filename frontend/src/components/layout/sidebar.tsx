"use client";

import clsx from "clsx";
import { Keyboard, Plus } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { routes } from "@/lib/routes";
import { buttonClass, Kbd } from "@/ui/button";
import { showOverlay } from "./commands/overlay";
import { lowerPages, pages } from "./navigation";
import { ServiceFacts } from "./service-facts";

const itemClass =
  "group flex h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-sm font-medium transition-colors";
const otherClass = "text-ink-soft hover:bg-rest-tint hover:text-ink";

export function Sidebar() {
  const path = usePathname();
  return (
    <aside aria-label="Sidebar" className="hidden w-48 shrink-0 border-r border-line md:block">
      <div className="sticky top-13 flex h-[calc(100dvh-3.25rem)] flex-col gap-0.5 p-3">
        <Link href={routes.newRun} className={clsx(buttonClass("primary"), "mb-2.5 w-full")}>
          <Plus aria-hidden className="size-4" />
          New run
        </Link>
        <nav aria-label="Main" className="flex flex-col gap-0.5">
          {pages.map(({ href, label, icon: Icon, keys, owns }) => (
            <Link
              key={href}
              href={href}
              aria-current={owns(path) ? "page" : undefined}
              className={clsx(itemClass, owns(path) ? "bg-rest-tint text-ink" : otherClass)}
            >
              <Icon aria-hidden className="size-4" />
              <span className="grow">{label}</span>
              <span
                aria-hidden
                className="opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100"
              >
                <Kbd>{keys}</Kbd>
              </span>
            </Link>
          ))}
        </nav>
        <div className="mt-auto flex flex-col gap-2">
          {lowerPages.map(({ href, label, icon: Icon, owns }) => (
            <Link
              key={href}
              href={href}
              aria-current={owns(path) ? "page" : undefined}
              className={clsx(
                itemClass,
                "-mb-1.5",
                owns(path) ? "bg-rest-tint text-ink" : otherClass,
              )}
            >
              <Icon aria-hidden className="size-4" />
              {label}
            </Link>
          ))}
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() => showOverlay("shortcuts")}
            className={clsx(itemClass, otherClass)}
          >
            <Keyboard aria-hidden className="size-4" />
            <span className="grow text-left">Shortcuts</span>
            <span aria-hidden>
              <Kbd>?</Kbd>
            </span>
          </button>
          <ServiceFacts />
        </div>
      </div>
    </aside>
  );
}
