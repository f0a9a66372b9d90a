import { GitCompareArrows } from "lucide-react";
import Link from "next/link";
import { buttonClass } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { EmptyState } from "@/components/ui/empty-state";
import { routes } from "@/lib/url";

export function CompareEmpty() {
  return (
    <Card label="Compare" bodyClass="">
      <EmptyState
        icon={GitCompareArrows}
        title="Comparing is not part of this version"
        action={
          <Link href={routes.home} className={buttonClass("primary")}>
            Open your runs
          </Link>
        }
      >
        This page will lay the reward curves of two runs over each other, with their best moving
        average, the step at which each reached a threshold, the spread of its last episodes, and
        the settings that differ. Until then, open two runs in two tabs: both charts begin at step
        zero.
      </EmptyState>
    </Card>
  );
}
