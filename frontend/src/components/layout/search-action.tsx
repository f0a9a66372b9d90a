"use client";

import { Search } from "lucide-react";
import { Button } from "@/components/ui/button";
import { showOverlay } from "./commands/overlay";

/** Opens the command palette from the middle of a page that has nothing else to offer. */
export function SearchAction() {
  return (
    <Button
      icon={<Search aria-hidden className="size-3.5" />}
      aria-haspopup="dialog"
      onClick={() => showOverlay("palette")}
    >
      Search runs and pages
    </Button>
  );
}
