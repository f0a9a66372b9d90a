import type { ReactNode } from "react";
import { Card } from "@/ui/card";
import { Segmented } from "@/ui/segmented";

interface AgentView<Name extends string> {
  name: Name;
  label: string;
  /** What is new there, in a word; null: nothing that was not seen. */
  news?: string | null;
}

interface AgentViewsProps<Name extends string> {
  views: readonly AgentView<Name>[];
  shown: Name;
  onChoose: (name: Name) => void;
  /** The view that is shown. */
  children: ReactNode;
}

/** The one place of a page where the agent is seen: one view of it at a time, and the choice among them. */
export function AgentViews<Name extends string>({
  views,
  shown,
  onChoose,
  children,
}: AgentViewsProps<Name>) {
  return (
    <Card
      label={views.find(({ name }) => name === shown)?.label}
      className="@container"
      bodyClass=""
    >
      <div className="flex min-h-11 items-center border-b border-line px-4 py-1.5">
        <Segmented
          legend="What is shown of the agent"
          options={views.map(({ name, label, news }) => ({ value: name, label, news }))}
          value={shown}
          onChange={onChoose}
          className="flex! w-full max-w-sm *:grow"
        />
      </div>
      {children}
    </Card>
  );
}
