/**
 * The one place of a page where the agent is shown. `AgentViews` is the place, with one view at a time; each view uses
 * `ViewLayout` and shows its picture on a `Stage`, so that the layout stays the same when the view changes.
 */

import type { ReactNode } from "react";
import { Card } from "@/ui/card";
import { Segmented } from "@/ui/segmented";

interface AgentView<Name extends string> {
  name: Name;
  label: string;
  /** A word for new content of this view; null: there is no new content. */
  news?: string | null;
}

interface AgentViewsProps<Name extends string> {
  views: readonly AgentView<Name>[];
  shown: Name;
  onChoose: (name: Name) => void;
  /** The view that is shown. */
  children: ReactNode;
}

/** The one place of a page that shows the agent: one view at a time, and a control to choose it. */
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
          legend="View of the agent"
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

interface ViewLayoutProps {
  /** Which policy it is. */
  title: ReactNode;
  /** The rest of the title line: the seed, and who acts. */
  meta?: ReactNode;
  /** Shown at the end of the title line. */
  actions?: ReactNode;
  /** The stage and its controls. */
  stage: ReactNode;
  /** Shown beside the stage if there is space, otherwise below it. */
  beside?: ReactNode;
  /** Shown below everything else. */
  children?: ReactNode;
}

/** A view of the agent: one title line, the stage in the same place and of the same size in every view, and the rest. */
export function ViewLayout({ title, meta, actions, stage, beside, children }: ViewLayoutProps) {
  return (
    <div className="flex min-w-0 flex-col gap-3 px-4 pt-2 pb-4">
      <div className="flex min-h-9 items-center justify-between gap-3">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-2 tabular-nums">
          <h2 className="flex min-w-0 items-center gap-2 text-sm font-semibold">{title}</h2>
          {meta && <p className="min-w-0 truncate text-xs text-ink-faint">{meta}</p>}
        </div>
        {actions && <div className="-mr-2 flex shrink-0 items-center">{actions}</div>}
      </div>
      <div className="grid items-start gap-4 @3xl:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-2">{stage}</div>
        {beside && <div className="flex min-w-0 flex-col gap-4">{beside}</div>}
      </div>
      {children}
    </div>
  );
}
