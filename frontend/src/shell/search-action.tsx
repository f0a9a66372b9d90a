"use client";

import { Search } from "lucide-react";
import { Button } from "@/ui/button";
import { showOverlay } from "./commands/overlay";

/** A button that opens the command palette, for pages with no other action to offer. */
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
