import { SearchX } from "lucide-react";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";

export function NoMatches({ clear }: { clear: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title="No run matches"
      action={<Button onClick={clear}>Clear filters</Button>}
    >
      Try another word, or fewer filters.
    </EmptyState>
  );
}
