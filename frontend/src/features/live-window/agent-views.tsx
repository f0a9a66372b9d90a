"use client";

import { type ReactNode, useState } from "react";
import { Segmented } from "@/components/ui/segmented";

export interface AgentView<Name extends string> {
  name: Name;
  label: string;
  /** Draws the view; `choice` belongs at the end of its title line. */
  show: (choice: ReactNode) => ReactNode;
}

interface AgentViewsProps<Name extends string> {
  views: readonly AgentView<Name>[];
  /** The view for what is going on; when that changes it is shown, whatever was chosen before. */
  usual: Name;
}

/** The one place of a page where the agent is seen: one view of it at a time. */
export function AgentViews<Name extends string>({ views, usual }: AgentViewsProps<Name>) {
  const [chosen, setChosen] = useState<{ name: Name; instead: Name } | null>(null);
  const shown = chosen?.instead === usual ? chosen.name : usual;
  const choice = (
    <Segmented
      legend="What is shown of the agent"
      options={views.map(({ name, label }) => ({ value: name, label }))}
      value={shown}
      onChange={(name) => setChosen({ name, instead: usual })}
    />
  );
  return views.find(({ name }) => name === shown)?.show(choice);
}
