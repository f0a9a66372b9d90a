"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { useRouter } from "next/navigation";
import { lazy, Suspense, useReducer, useState } from "react";
import { healthQuery } from "@/api/choices";
import { usualPolicy } from "@/api/evaluate";
import {
  isFiltered,
  isStandardSort,
  type ListFilter,
  NEWEST_FIRST,
  NO_FILTER,
  readListFilter,
  toListFilter,
  writeListFilter,
} from "@/api/run-filter";
import type { Run, SeedGroup } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { plural } from "@/lib/number";
import { useQueryString } from "@/lib/query-string";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { HoverLink } from "@/ui/hover-link";
import { ErrorState } from "@/ui/notice";
import { type NamedRun, useRunActionsWithToasts } from "@/ui/use-run-actions-with-toasts";
import layout from "./layout.module.css";
import { useFirstPage, useIdsOfLines } from "./lines";
import { PlaceholderCells } from "./run-row";
import { RunTable } from "./run-table";
import { changeSelection, MOST_SELECTED, NOTHING, span } from "./selection";
import { Toolbar } from "./toolbar";

// Parts that most visits do not need are loaded when they are shown.
const NoRuns = lazy(
  withRetry(() => import("./no-runs").then(({ NoRuns }) => ({ default: NoRuns }))),
);
const NoMatches = lazy(
  withRetry(() => import("./no-matches").then(({ NoMatches }) => ({ default: NoMatches }))),
);
const ExperimentLines = lazy(
  withRetry(() =>
    import("./experiment-lines").then(({ ExperimentLines }) => ({ default: ExperimentLines })),
  ),
);
const QueuePanel = lazy(
  withRetry(() => import("./queue-panel").then(({ QueuePanel }) => ({ default: QueuePanel }))),
);
const SelectionBar = lazy(
  withRetry(() =>
    import("./selection-bar").then(({ SelectionBar }) => ({ default: SelectionBar })),
  ),
);
const RunMenu = lazy(
  withRetry(() => import("./run-menu").then(({ RunMenu }) => ({ default: RunMenu }))),
);
const GroupMenu = lazy(
  withRetry(() => import("./group-menu").then(({ GroupMenu }) => ({ default: GroupMenu }))),
);
const EditRun = lazy(
  withRetry(() => import("../edit-run").then(({ EditRun }) => ({ default: EditRun }))),
);

interface OpenGroupMenu {
  group: SeedGroup;
  run: Run;
  button: HTMLElement;
  /** Shows the seeds of the group. */
  unfold: () => void;
}

interface RunListProps {
  onNew: () => void;
  onImport: () => void;
  onDuplicate: (run: Run) => void;
}

export function RunList({ onNew, onImport, onDuplicate }: RunListProps) {
  const router = useRouter();
  const [query, changeQuery] = useQueryString();
  const shown = readListFilter(query);
  const filter = toListFilter(shown);
  const first = useFirstPage(filter);
  const total = first.data?.total ?? 0;
  const [selection, select] = useReducer(changeSelection, NOTHING);
  const [menu, setMenu] = useState<{ run: Run; button: HTMLElement } | null>(null);
  const [groupMenu, setGroupMenu] = useState<OpenGroupMenu | null>(null);
  const [edited, setEdited] = useState<Run | null>(null);
  const idsOfLines = useIdsOfLines(filter);
  const runActions = useRunActionsWithToasts(router.push);

  const show = (part: Partial<ListFilter>) => {
    changeQuery((now) => writeListFilter(now, { ...readListFilter(now), ...part }));
    window.scrollTo({ top: 0 });
  };
  const selectLines = async (from: number, to: number, anchor?: number) => {
    const ids = await idsOfLines(from, Math.min(to, from + MOST_SELECTED - 1));
    select({ kind: "add", ids, index: anchor });
  };
  const selectTo = (index: number) => {
    const anchor = selection.anchor ?? index;
    void selectLines(...span(anchor, index), anchor);
  };
  const remove = (runs: readonly NamedRun[]) =>
    void runActions
      .remove(runs)
      .then((gone) => select({ kind: "remove", ids: gone.map(({ id }) => id) }));
  const actions = {
    toggle: (ids: readonly string[], index: number) => select({ kind: "toggle", ids, index }),
    selectTo,
    selectAll: () => void selectLines(0, total - 1),
    clearSelection: () => select({ kind: "clear" }),
    edit: setEdited,
    remove,
    removeGroup: ({ run_ids }: SeedGroup, { name }: Run) =>
      remove(run_ids.map((id) => ({ id, name }))),
    openGroup: ({ run_ids }: SeedGroup) => runActions.compare(run_ids),
    start: (run: Run) => void runActions.start(run),
    pause: (run: Run) => void runActions.pause(run),
    resume: (run: Run) => void runActions.resume(run),
    stop: (run: Run) => void runActions.stop(run),
    evaluate: (run: Run) => void runActions.evaluate(run, { policy: usualPolicy(run) }),
    queue: (run: Run, to: "first" | "up" | "down") => void runActions.moveInQueue(run, { to }),
    openMenu: (run: Run, button: HTMLElement) => setMenu({ run, button }),
    openGroupMenu: (group: SeedGroup, run: Run, button: HTMLElement, unfold: () => void) =>
      setGroupMenu({ group, run, button, unfold }),
    open: (run: Run) => router.push(routes.run(run.id)),
    compare: (run: Run) => runActions.compare([run.id]),
    duplicate: onDuplicate,
  };

  const trials = first.data?.trials ?? 0;
  const waiting = useQuery(healthQuery).data?.queued_runs ?? 0;
  if (first.data && total === 0 && trials === 0 && !isFiltered(shown)) {
    return (
      <Suspense fallback={<RunListSkeleton />}>
        <NoRuns onNew={onNew} onImport={onImport} />
      </Suspense>
    );
  }
  return (
    <>
      <Toolbar filter={shown} onChange={show} />
      {(trials > 0 || shown.trials) && (
        <FoldedTrials count={trials} shown={shown.trials} onChange={(trials) => show({ trials })} />
      )}
      {trials > 0 && !isFiltered(shown) && (
        <Suspense>
          <ExperimentLines />
        </Suspense>
      )}
      {waiting > 0 && (
        <Suspense>
          <QueuePanel waiting={waiting} />
        </Suspense>
      )}
      <section
        aria-label="Runs"
        aria-busy={first.isPlaceholderData}
        className={clsx(
          "mt-3 min-w-0 overflow-clip rounded-lg border border-line bg-surface shadow-card transition-opacity max-md:-mx-4 max-md:rounded-none max-md:border-x-0",
          first.isPlaceholderData && "opacity-60",
        )}
      >
        {first.isPending ? (
          <RunListSkeleton />
        ) : !first.data ? (
          <>
            <ErrorState
              error={first.error}
              retry={() => void first.refetch()}
              retrying={first.isFetching}
            />
            {!isStandardSort(shown.sort.key) && (
              <p className="-mt-6 pb-8 text-center">
                <Button onClick={() => show({ sort: NEWEST_FIRST })}>Sort by age</Button>
              </p>
            )}
          </>
        ) : total === 0 && trials > 0 && !isFiltered(shown) ? (
          <p className="px-4 py-8 text-center text-sm text-ink-soft">
            All runs here are trials of experiments.
          </p>
        ) : total === 0 ? (
          <Suspense>
            <NoMatches clear={() => show(NO_FILTER)} />
          </Suspense>
        ) : (
          <RunTable
            filter={filter}
            total={total}
            training={first.data.training}
            totalRuns={first.data.total_runs}
            isTree={first.data.groups.length > 0 && filter.grouped === true}
            sort={shown.sort}
            onSort={(sort) => show({ sort })}
            selection={selection}
            actions={actions}
          />
        )}
      </section>
      <Suspense>
        {selection.ids.size > 0 && (
          <SelectionBar
            ids={selection.ids}
            onRemove={() => remove([...selection.ids].map((id) => ({ id, name: id })))}
            actions={runActions}
            onClear={actions.clearSelection}
          />
        )}
      </Suspense>
      <Suspense>
        {menu && <RunMenu {...menu} actions={actions} onClose={() => setMenu(null)} />}
        {groupMenu && (
          <GroupMenu
            {...groupMenu}
            actions={{ ...actions, unfold: groupMenu.unfold }}
            onClose={() => setGroupMenu(null)}
          />
        )}
        {edited && <EditRun run={edited} onClose={() => setEdited(null)} />}
      </Suspense>
    </>
  );
}

interface FoldedTrialsProps {
  /** Number of trials that are left out. */
  count: number;
  shown: boolean;
  onChange: (shown: boolean) => void;
}

/** Says how many trials of experiments the list leaves out, and shows or folds them. */
function FoldedTrials({ count, shown, onChange }: FoldedTrialsProps) {
  return (
    <p className="mt-2 flex flex-wrap items-center gap-x-2 text-xs text-ink-soft">
      <button
        type="button"
        aria-expanded={shown}
        onClick={() => onChange(!shown)}
        className="-ml-1 flex min-h-6 items-center gap-0.5 rounded-sm px-1 hover:bg-rest-tint hover:text-ink max-md:min-h-10"
      >
        <ChevronRight
          aria-hidden
          className={clsx("size-3.5 transition-transform", shown && "rotate-90")}
        />
        {shown ? "Fold trials of experiments" : `${plural(count, "trial")} of experiments folded`}
      </button>
      <HoverLink href={routes.experiments} className="rounded-sm text-accent hover:underline">
        Experiments
      </HoverLink>
    </p>
  );
}

const ROWS = 12;

/** Placeholder for the list until its first response, with the same heights. */
export function RunListSkeleton() {
  return (
    <div role="status" aria-label="Loading runs" className={layout.frame}>
      <div aria-hidden className="animate-shimmer">
        <div className={clsx(layout.head, "h-8 border-b border-line")} />
        {Array.from({ length: ROWS }, (_, i) => (
          <div key={i} className={clsx(layout.line, layout.still, "border-b border-line")}>
            <PlaceholderCells />
          </div>
        ))}
      </div>
    </div>
  );
}
