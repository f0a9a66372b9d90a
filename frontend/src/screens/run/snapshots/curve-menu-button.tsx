"use client";

import { Split } from "lucide-react";
import type { RunDetail } from "@/api/types";
import type { ChartGroup } from "@/charts/chart-group";
import { Button } from "@/ui/button";
import { whyNotForkAtStep } from "./snapshot-text";

/** Opens the menu of the point that was chosen on the curve. */
export function CurveMenuButton({ run, group }: { run: RunDetail; group: ChartGroup }) {
  return (
    <Button
      size="sm"
      variant="quiet"
      needsService
      aria-haspopup="menu"
      unavailable={whyNotForkAtStep(run)}
      icon={<Split aria-hidden className="size-3.5" />}
      onClick={({ currentTarget }) => {
        const { left, bottom } = currentTarget.getBoundingClientRect();
        group.menu.set({ x: left, y: bottom });
      }}
    >
      Change here
    </Button>
  );
}
