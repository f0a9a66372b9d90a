"use client";

/**
 * Another action at a step of a recorded episode. `useOtherFutures` holds what is asked; `OtherFuture` stands around the
 * player of the episode, opens the menu, and shows the other future as a ghost in its place until it is dismissed.
 */

import { useQuery } from "@tanstack/react-query";
import { LoaderCircle, Split } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useRef, useState } from "react";
import { type EpisodeSource, futureQuery, otherActionsQuery, type StepPlace } from "@/api/futures";
import { explainAction } from "@/api/http";
import type { OfferedAction } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import type { Point } from "@/player/video/player";
import { Button } from "@/ui/button";
import { MenuAt, MenuItem, MenuSeparator, MenuText } from "@/ui/menu";
import { Notice } from "@/ui/notice";
import { type FilmedEpisode, stepTitle, typedNumbers } from "./prepare";

const GhostPlayer = dynamic(
  withRetry(() => import("./ghost-player").then((module) => module.GhostPlayer)),
  { ssr: false },
);
const OtherNumbers = dynamic(
  withRetry(() => import("./other-numbers").then((module) => module.OtherNumbers)),
  { ssr: false },
);

/** The other action that was chosen at a step. */
export interface WantedFuture {
  at: StepPlace;
  taken: OfferedAction;
  other: OfferedAction;
}

/** The request for another future of a recorded episode. */
export interface OtherFutures {
  menu: { at: StepPlace; point: Point } | null;
  wanted: WantedFuture | null;
  /** Opens the menu of a step, at a point of the window. */
  ask: (at: StepPlace, point: Point) => void;
  /** Closes the menu. */
  close: () => void;
  choose: (wanted: WantedFuture | null) => void;
}

/** `of`: the evaluation or clip; when it changes, the choice is cleared. */
export function useOtherFutures(of: string): OtherFutures {
  const nothing = { of, menu: null, wanted: null };
  const [state, setState] = useState<Pick<OtherFutures, "menu" | "wanted"> & { of: string }>(
    nothing,
  );
  if (state.of !== of) setState(nothing);
  return {
    menu: state.menu,
    wanted: state.wanted,
    ask: (at, point) => setState((old) => ({ ...old, menu: { at, point } })),
    close: () => setState((old) => ({ ...old, menu: null })),
    choose: (wanted) => setState((old) => ({ ...old, wanted })),
  };
}

/** Gives the focus to the player in `place`, whose keys work then. */
export function focusPlayer(place: HTMLElement | null) {
  place?.querySelector<HTMLElement>("[role=group]")?.focus({ preventScroll: true });
}

/** The video of the recorded episodes. */
export interface RecordedVideo {
  url: string;
  fps: number;
  episodes: readonly FilmedEpisode[];
}

interface OtherFutureProps {
  source: EpisodeSource;
  futures: OtherFutures;
  /** null: there is no video, and the other future is shown alone. */
  recorded: RecordedVideo | null;
  /** The player of the recorded episodes. */
  children: ReactNode;
}

/** Stands around the player of recorded episodes, and shows another future in its place. */
export function OtherFuture({ source, futures, recorded, children }: OtherFutureProps) {
  const { menu, wanted, choose } = futures;
  const place = useRef<HTMLDivElement>(null);
  const [typing, setTyping] = useState<StepPlace | null>(null);
  const query = useQuery({
    ...futureQuery(source, wanted?.at ?? { episode: 0, step: 0 }, wanted?.other.action ?? []),
    enabled: wanted !== null,
  });
  const future = wanted ? query.data : undefined;
  const dismiss = () => {
    choose(null);
    // Once it is shown again.
    requestAnimationFrame(() => focusPlayer(place.current));
  };
  const isShown = wanted !== null && future?.status === "ready";
  return (
    <>
      <div ref={place} className={isShown ? "hidden" : "contents"}>
        {children}
      </div>
      {isShown && (
        <GhostPlayer
          key={future.id}
          {...{ future, wanted, recorded }}
          onOther={(point) => futures.ask(wanted.at, point)}
          onClose={dismiss}
        />
      )}
      {wanted && !isShown && (
        <WaitingLine
          wanted={wanted}
          problem={
            query.error
              ? explainAction(query.error)
              : future?.status === "failed"
                ? (future.cause ?? "No cause was given.")
                : null
          }
          onRetry={() => void query.refetch()}
          onClose={dismiss}
        />
      )}
      {menu && (
        <ActionsMenu
          key={`${menu.at.episode} ${menu.at.step}`}
          {...{ source, ...menu }}
          onChoose={(next) => {
            choose(next);
            // The step may have been chosen in a table further down.
            place.current?.firstElementChild?.scrollIntoView({ block: "nearest" });
          }}
          onNumbers={() => setTyping(menu.at)}
          onClose={futures.close}
        />
      )}
      {typing && (
        <OtherNumbers
          {...{ source, at: typing }}
          onChoose={choose}
          onClose={() => setTyping(null)}
        />
      )}
    </>
  );
}

interface WaitingLineProps {
  wanted: WantedFuture;
  problem: string | null;
  onRetry: () => void;
  onClose: () => void;
}

/** That the other future is being played, or why it cannot be. */
function WaitingLine({ wanted, problem, onRetry, onClose }: WaitingLineProps) {
  if (problem !== null) {
    return (
      <Notice tone="warn" role="alert" title="The other future cannot be shown">
        <p className="break-words text-ink-soft">{problem}</p>
        <div className="mt-2 flex gap-2">
          <Button size="sm" needsService onClick={onRetry}>
            Try again
          </Button>
          <Button size="sm" variant="quiet" onClick={onClose}>
            Dismiss
          </Button>
        </div>
      </Notice>
    );
  }
  return (
    <p role="status" className="flex items-center gap-2 text-xs text-ink-soft">
      <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin" />
      <span className="min-w-0 grow">
        {stepTitle(wanted.at, null)}: playing “{wanted.other.name}” instead…
      </span>
      <Button size="sm" variant="quiet" onClick={onClose}>
        Cancel
      </Button>
    </p>
  );
}

interface ActionsMenuProps {
  source: EpisodeSource;
  at: StepPlace;
  point: Point;
  onChoose: (wanted: WantedFuture) => void;
  onNumbers: () => void;
  onClose: () => void;
}

/** The actions that can be tried at a step. */
function ActionsMenu({ source, at, point, onChoose, onNumbers, onClose }: ActionsMenuProps) {
  const { data, error } = useQuery(otherActionsQuery(source, at));
  return (
    <MenuAt label="Try another action" point={point} onClose={onClose}>
      <MenuText>{stepTitle(at, data?.taken.name ?? null)}</MenuText>
      {error ? (
        <MenuText>{explainAction(error)}</MenuText>
      ) : !data ? (
        <MenuText>Reading the step…</MenuText>
      ) : (
        <>
          {data.others.map((other) => (
            <MenuItem
              key={other.name}
              icon={<Split />}
              onSelect={() => onChoose({ at, taken: data.taken, other })}
            >
              {other.name} instead
            </MenuItem>
          ))}
          {typedNumbers(data) && (
            <>
              <MenuSeparator />
              <MenuItem onSelect={onNumbers}>Other numbers…</MenuItem>
            </>
          )}
        </>
      )}
    </MenuAt>
  );
}
