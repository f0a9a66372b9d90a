import type { HintOutcome } from "@/api/types";
import { ChartHelp } from "@/charts/chart-card";
import { settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Outcome } from "@/screens/shared/hint-tests";
import { Card } from "@/ui/card";
import { HoverLink } from "@/ui/hover-link";

/** The hint that an experiment tests, and the result so far. */
export function HintTestCard({ outcome }: { outcome: HintOutcome }) {
  const { title, name, before, value, run_id, made } = outcome;
  return (
    <Card
      title={
        <span className="flex items-center gap-1">
          Test of a hint
          <ChartHelp title="the difference" text={made} />
        </span>
      }
      label="Test of a hint"
      aside={
        <HoverLink
          href={routes.run(run_id)}
          className="rounded-sm text-xs font-medium text-accent hover:underline"
        >
          Run with the hint
        </HoverLink>
      }
    >
      <div className="flex flex-col gap-1.5 text-sm">
        <p className="text-ink-soft">
          “{title}”: <span className="font-mono">{name}</span> {settingText(value)} instead of{" "}
          {settingText(before)}
        </p>
        <Outcome outcome={outcome} />
      </div>
    </Card>
  );
}
