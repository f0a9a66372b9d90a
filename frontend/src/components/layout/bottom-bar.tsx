"use client";

import clsx from "clsx";
import { Plus } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { routes } from "@/lib/url";
import { type Destination, destinations } from "./navigation";

const itemClass =
  "flex h-14 flex-col items-center justify-center gap-1 text-2xs font-medium -outline-offset-2!";

/** Navigation on phones. "New run" is in the middle, where the thumb reaches it best. */
export function BottomBar() {
  const path = usePathname();
  const [runs, ...others] = destinations;
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
      {runs && link(runs)}
      <Link href={routes.newRun} className={clsx(itemClass, "text-ink-soft")}>
        <Plus aria-hidden className="size-5" />
        New run
      </Link>
      {others.map(link)}
    </nav>
  );
}
