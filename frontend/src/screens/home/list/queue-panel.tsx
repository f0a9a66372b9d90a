"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import clsx from "clsx";
import { ArrowDown, ArrowUp, ArrowUpToLine, ChevronRight, GripVertical } from "lucide-react";
import { HoverLink } from "@/ui/hover-link";
import { type DragEvent, useState } from "react";
import { useAlgorithmName } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { moveInQueue, queueQuery } from "@/api/runs";
import type { QueueMove, Run, RunPage } from "@/api/types";
import { count, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { dropPlace, keyMove, movedQueue } from "./queue-order";

/** Shows how many runs wait, and lists them in the order in which they start. Users can change the order. */
export function QueuePanel({ waiting }: { waiting: number }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="mt-2">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="-ml-1 flex min-h-6 items-center gap-0.5 rounded-sm px-1 text-xs text-ink-soft hover:bg-rest-tint hover:text-ink max-md:min-h-10"
      >
        <ChevronRight
          aria-hidden
          className={clsx("size-3.5 transition-transform", open && "rotate-90")}
        />
        {waiting === 1 ? "1 run waits in the queue" : `${count(waiting)} runs wait in the queue`}
      </button>
      {open && <Queue />}
    </div>
  );
}

const DRAGGED = "application/x-rlviz-queued";

function Queue() {
  const client = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery(queueQuery);
  const algorithmName = useAlgorithmName();
  const [target, setTarget] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const move = useMutation({
    mutationKey: keys.queueMoves,
    // One after the other, so that no key is lost while an earlier move is on its way.
    scope: { id: "queue" },
    mutationFn: ({ run, place }: { run: Run; place: QueueMove }) => moveInQueue(run.id, place),
    onMutate: async ({ run, place }) => {
      await client.cancelQueries({ queryKey: queueQuery.queryKey });
      client.setQueryData<RunPage>(
        queueQuery.queryKey,
        (page) => page && { ...page, runs: movedQueue(page.runs, run.id, place) },
      );
    },
    onSuccess: ({ name, queue_position }) =>
      setSaid(`${name} is number ${queue_position ?? "?"} in the queue.`),
    onSettled: () => {
      // This move still counts as pending. A reload between two moves would undo the later one on the screen.
      if (client.isMutating({ mutationKey: keys.queueMoves }) > 1) return;
      void client.invalidateQueries({ queryKey: keys.runs });
    },
  });
  if (!data) {
    return error ? (
      <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Skeleton className="mt-1 h-20" />
    );
  }
  const { runs, total } = data;
  const ids = runs.map(({ id }) => id);
  const drop = (event: DragEvent, on: Run) => {
    event.preventDefault();
    setTarget(null);
    const dragged = runs.find(({ id }) => id === event.dataTransfer.getData(DRAGGED));
    const place = dragged && dropPlace(ids, dragged.id, on.id);
    if (dragged && place) move.mutate({ run: dragged, place });
  };
  return (
    <div className="mt-1 rounded-lg border border-line bg-surface shadow-card">
      <ol aria-label="Queue" className="divide-y divide-line text-sm">
        {runs.map((run, place) => (
          <li
            key={run.id}
            draggable
            onDragStart={(event) => event.dataTransfer.setData(DRAGGED, run.id)}
            onDragOver={(event) => {
              if (!event.dataTransfer.types.includes(DRAGGED)) return;
              event.preventDefault();
              setTarget(run.id);
            }}
            onDragLeave={() => setTarget(null)}
            onDrop={(event) => drop(event, run)}
            className={clsx(
              "flex items-center gap-1 px-2 py-1 max-md:min-h-12",
              target === run.id && "bg-accent-tint",
            )}
          >
            <button
              type="button"
              aria-label={`Place of ${run.name}: ${place + 1} of ${total}`}
              aria-keyshortcuts="ArrowUp ArrowDown Home End"
              title="Drag, or press an arrow key"
              onKeyDown={(event) => {
                const wanted = keyMove(event.key);
                if (!wanted) return;
                event.preventDefault();
                move.mutate({ run, place: wanted });
              }}
              className="grid size-7 shrink-0 cursor-grab place-items-center rounded-sm text-ink-faint hover:text-ink"
            >
              <GripVertical aria-hidden className="size-3.5" />
            </button>
            <span className="w-6 shrink-0 text-right text-xs text-ink-faint tabular-nums">
              {place + 1}
            </span>
            <span className="min-w-0 grow truncate pl-1.5">
              <HoverLink href={routes.run(run.id)} className="rounded-sm hover:underline">
                {run.name}
              </HoverLink>
              <span className="ml-2 text-xs text-ink-soft">
                {algorithmName(run.algo)} · {run.env_id} · seed {run.seed}
              </span>
            </span>
            {place > 0 && (
              <>
                <MoveButton
                  label={`Start ${run.name} first`}
                  onClick={() => move.mutate({ run, place: { to: "first" } })}
                >
                  <ArrowUpToLine aria-hidden className="size-3.5" />
                </MoveButton>
                <MoveButton
                  label={`Move ${run.name} up`}
                  onClick={() => move.mutate({ run, place: { to: "up" } })}
                >
                  <ArrowUp aria-hidden className="size-3.5" />
                </MoveButton>
              </>
            )}
            <MoveButton
              label={`Move ${run.name} down`}
              disabled={place === total - 1}
              onClick={() => move.mutate({ run, place: { to: "down" } })}
            >
              <ArrowDown aria-hidden className="size-3.5" />
            </MoveButton>
          </li>
        ))}
      </ol>
      {runs.length === 0 && <p className="px-4 py-3 text-sm text-ink-soft">No run waits.</p>}
      {total > runs.length && (
        <p className="border-t border-line px-4 py-2 text-xs text-ink-soft">
          And {plural(total - runs.length, "more run")} after these.
        </p>
      )}
      {move.error && (
        <p role="alert" className="border-t border-line px-4 py-2 text-xs text-bad">
          {explainAction(move.error)}
        </p>
      )}
      <p role="status" className="sr-only">
        {said}
      </p>
    </div>
  );
}

interface MoveButtonProps {
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function MoveButton({ label, disabled, onClick, children }: MoveButtonProps) {
  return (
    <Button
      size="sm"
      variant="quiet"
      needsService
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
