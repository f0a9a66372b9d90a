import { ChartSpline, SearchX } from "lucide-react";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";

export function NoRuns() {
  return (
    <EmptyState icon={ChartSpline} title="No runs yet">
      Press <b className="font-medium text-ink">Start training</b> to train PPO on CartPole with the
      values already in the form. Its curves appear within seconds.
    </EmptyState>
  );
}

export function NoMatches({ clear }: { clear: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title="No run matches"
      action={<Button onClick={clear}>Clear filters</Button>}
    >
      Try another word or status.
    </EmptyState>
  );
}
