"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Gamepad2, GitFork, MonitorPlay, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { whyNotYet } from "@/api/evaluate";
import { whyNotTrusted } from "@/api/run-availability";
import { mapCellQuery } from "@/api/run-record";
import type { MapCellDetails, RunDetail } from "@/api/types";
import { writeAgentStart } from "@/lib/agent-view";
import { count, NONE, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useKeptPolicy } from "@/player/film";
import { Button, buttonClass, touchClass } from "@/ui/button";
import { HoverLink } from "@/ui/hover-link";
import { ForkAt } from "../snapshots/fork-at";
import { whyNotForkAtStep } from "../snapshots/snapshot-text";
import { AGENT_ANCHOR, openTab, scrollToAnchor } from "../tabs/tab-address";
import { idOf, neverBegins, percent, type Place, whereIs, type WorldPicture } from "./world";

interface CellPanelProps {
  run: RunDetail;
  drawn: WorldPicture;
  place: Place;
  /** The step that is chosen, at which the newest policy up to there plays; null: the newest one of all. */
  step: number | null;
  /** Whether it was opened with the keyboard, so that the focus moves to it. */
  takesFocus: boolean;
  onClose: () => void;
}

/** What is known of a cell, and what can begin there: watching the policy, playing, and training. */
export function CellPanel({ run, drawn, place, step, takesFocus, onClose }: CellPanelProps) {
  const cell = idOf(drawn.world, place);
  const { data, error, refetch } = useQuery(mapCellQuery(run.id, cell));
  const [forks, setForks] = useState(false);
  const name = whereIs(drawn.world, place);
  const known = data?.id === cell ? data : undefined;
  const away =
    whyNotTrusted(run) ?? whyNotYet(run) ?? (known ? known.why_no_start : "Looking for a state…");
  const kept = useKeptPolicy(run, step);
  const panel = useRef<HTMLDivElement>(null);
  // External system: the scroll position. On a phone the panel opens below the edge of the screen.
  useEffect(() => {
    panel.current?.scrollIntoView({ block: "nearest" });
  }, [cell]);
  const watch = () => {
    openTab("overview", (query) =>
      writeAgentStart(query, { cell, step: kept.policy?.step ?? null }),
    );
    scrollToAnchor(AGENT_ANCHOR);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <div
      ref={panel}
      role="group"
      aria-label={`Cell: ${name}`}
      onKeyDown={onKeyDown}
      className="flex scroll-mt-20 scroll-mb-4 flex-col gap-2.5 rounded-md border border-line bg-sunken p-3 text-xs tabular-nums max-md:scroll-mb-20"
    >
      <div className="flex items-start justify-between gap-2">
        <h3 className="pt-1 text-sm font-medium">{name}</h3>
        <Button
          size="sm"
          variant="quiet"
          aria-label="Close the cell"
          title="Close the cell"
          onClick={onClose}
          icon={<X aria-hidden className="size-3.5" />}
          className="-mt-0.5 -mr-1.5 max-md:size-10"
        />
      </div>
      <CellFacts drawn={drawn} place={place} isNewest={step === null} details={known} />
      {error ? (
        <p role="alert" className="flex items-center justify-between gap-2 text-ink-soft">
          {error.message}
          <Button size="sm" onClick={() => void refetch()}>
            Try again
          </Button>
        </p>
      ) : (
        <p role="status" className="min-h-8 text-ink-soft">
          {known ? (known.why_no_start ?? sourceOf(known)) : "Looking for a state of this cell…"}
        </p>
      )}
      <div className="flex flex-wrap gap-1.5">
        <Button
          size="sm"
          className={touchClass}
          autoFocus={takesFocus}
          needsService
          unavailable={away ?? kept.why ?? (kept.isPending && "Looking for the policy…")}
          onClick={watch}
          icon={<MonitorPlay aria-hidden className="size-3.5" />}
        >
          {kept.policy ? `Watch policy of step ${count(kept.policy.step)}` : "Watch from here"}
        </Button>
        {away ? (
          <Button
            size="sm"
            className={touchClass}
            unavailable={away}
            icon={<Gamepad2 aria-hidden className="size-3.5" />}
          >
            Play from here
          </Button>
        ) : (
          <HoverLink
            href={routes.playFromCell(run.id, cell)}
            className={clsx(buttonClass("secondary", "sm"), touchClass)}
          >
            <Gamepad2 aria-hidden className="size-3.5" />
            Play from here
          </HoverLink>
        )}
        <Button
          size="sm"
          className={touchClass}
          needsService
          unavailable={
            whyNotForkAtStep(run) ??
            (known ? neverBegins(drawn.world, place) && known.why_no_start : "Looking for a state…")
          }
          onClick={() => setForks(true)}
          icon={<GitFork aria-hidden className="size-3.5" />}
        >
          Fork from here…
        </Button>
      </div>
      {forks && known && (
        <ForkAt
          run={run}
          at={Math.min(step ?? run.step, run.step)}
          cell={{ id: cell, name, isArchived: step === null ? known.is_archived : null }}
          onClose={() => setForks(false)}
        />
      )}
    </div>
  );
}

interface CellFactsProps {
  drawn: WorldPicture;
  place: Place;
  /** Whether the map is the newest one; the number of episodes is known only of that. */
  isNewest: boolean;
  /** Undefined while it is loading. */
  details: MapCellDetails | undefined;
}

function CellFacts({ drawn, place, isNewest, details }: CellFactsProps) {
  const { world, visits, total, frontier } = drawn;
  const n = visits[idOf(world, place)] ?? 0;
  const begins = frontier.find(({ x, y }) => x === place.x && y === place.y);
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
      <Fact label="Visits">
        {n === 0 || total === 0 ? count(n) : `${count(n)}, ${percent(n / total)} of all`}
      </Fact>
      {isNewest && <Fact label="Episodes">{details ? count(details.episodes) : NONE}</Fact>}
      <Fact label="First visit">{details ? firstVisit(details) : NONE}</Fact>
      {begins && (
        <Fact label="Frontier">{percent(begins.weight)} of the archive&apos;s episodes</Fact>
      )}
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-faint">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

/** When training was first in a cell, as exactly as the kept maps say: “between step 1,000 and 2,000”. */
export function firstVisit({
  first_visit_after: after,
  first_visit_by: by,
}: Pick<MapCellDetails, "first_visit_after" | "first_visit_by">): string {
  if (by === null) return "never";
  return after === null ? `by step ${count(by)}` : `between step ${count(after)} and ${count(by)}`;
}

/** A snapshot as people read it: `15,360` for `15360`. */
function snapshotName(name: string | null | undefined): string {
  return name != null && /^\d+$/.test(name) ? count(Number(name)) : (name ?? "");
}

/** Where the state comes from in which episodes begin. */
export function sourceOf({ start }: Pick<MapCellDetails, "start">): string {
  if (start === null) return "";
  if (start.kind === "archive") {
    const begin = `Episodes begin in the state of this cell that the archive kept in snapshot ${snapshotName(start.snapshot)}`;
    return start.is_certain
      ? `${begin}.`
      : `${begin}. It may have none yet: then wait for the next snapshot.`;
  }
  return start.index === 0
    ? "Recorded episodes begin in this cell."
    : `Episodes begin where a recorded episode was after ${plural(start.index ?? 0, "step")}.`;
}
