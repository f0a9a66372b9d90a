import { SearchX } from "lucide-react";
import { Button } from "@/ui/button";
import { EmptyState } from "@/ui/notice";

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
