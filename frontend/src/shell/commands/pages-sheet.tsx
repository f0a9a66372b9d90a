"use client";

import clsx from "clsx";
import { Search } from "lucide-react";
import { usePathname } from "next/navigation";
import { Dialog } from "@/ui/dialog";
import { HoverLink } from "@/ui/hover-link";
import { allPages } from "../navigation";
import { showOverlay } from "./overlay";

const itemClass =
  "flex min-h-12 w-full items-center gap-3 rounded-md px-2 text-left text-sm font-medium hover:bg-rest-tint";

/** The pages that do not fit into the bar of a phone. */
export function PagesSheet({ onClose }: { onClose: () => void }) {
  const path = usePathname();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="More">
      <nav aria-label="More pages" className="-mx-2 flex flex-col">
        {allPages
          .filter(({ inBar }) => !inBar)
          .map(({ href, label, icon: Icon, owns }) => (
            <HoverLink
              key={href}
              href={href}
              onClick={onClose}
              aria-current={owns(path) ? "page" : undefined}
              className={clsx(itemClass, owns(path) && "text-accent")}
            >
              <Icon aria-hidden className="size-5 text-ink-soft" />
              {label}
            </HoverLink>
          ))}
        <hr className="mx-2 my-1 border-line" />
        <button type="button" onClick={() => showOverlay("palette")} className={itemClass}>
          <Search aria-hidden className="size-5 text-ink-soft" />
          Search runs and pages
        </button>
      </nav>
    </Dialog>
  );
}
