"use client";

import { useQuery } from "@tanstack/react-query";
import { FolderSearch } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { limitsQuery } from "@/api/choices";
import { gameQuery, gamesLeftOut, gamesQuery } from "@/api/games";
import { ApiError } from "@/api/http";
import type { GameDescription, Limits } from "@/api/types";
import { useQueryString } from "@/lib/query-string";
import { routes } from "@/lib/routes";
import { useSettled } from "@/lib/time";
import { describeSession } from "@/player/session/watch-session";
import { PageHeader } from "@/shell/page-header";
import { buttonClass } from "@/ui/button";
import { HoverLink } from "@/ui/hover-link";
import { EmptyState, ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { DescribedStage } from "./described-stage";
import {
  contentOf,
  draftOf,
  expressionsOf,
  type GameDraft,
  isSameFile,
  keepDraft,
  keptDraft,
  readableTaps,
  tapDraft,
  wholeWithin,
} from "./draft";
import { GameForm } from "./game-form";
import { RamSearchCard } from "./ram-search";
import { StartStateCard } from "./start-state";

/** The page is exported statically, so it reads which game to describe from the query string. */
export function DescribeView() {
  const [query] = useQueryString();
  const rom = query.get("rom");
  return rom ? <LoadedGame key={rom} name={rom} /> : <GameChoices />;
}

/** The games in the folder of ROMs, or how to set it up. */
function GameChoices() {
  const { data, error, refetch, isFetching } = useQuery(gamesQuery);
  return (
    <>
      <PageHeader title="Describe a game">
        Say where a Game Boy game of your own keeps its numbers and what an agent is rewarded for.
        Then an agent can train on it.
      </PageHeader>
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : !data ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <>
          {data.problem !== null && (
            <EmptyState icon={FolderSearch} title="No game can be described yet">
              {data.problem}
            </EmptyState>
          )}
          {gamesLeftOut(data).length > 0 && (
            <div className="mb-3">
              <Notice tone="warn" role="status" title="Some games cannot be listed">
                {gamesLeftOut(data).map((reason) => (
                  <p key={reason}>{reason}</p>
                ))}
              </Notice>
            </div>
          )}
          {data.games.length > 0 && (
            <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
              {data.games.map(({ name, env_id, has_rom, is_described }) => (
                <li key={name}>
                  <HoverLink
                    href={routes.describeGame(name)}
                    className="block rounded-lg border border-line bg-surface px-4 py-3 hover:border-line-strong hover:bg-raised"
                  >
                    <span className="block text-sm font-medium">{name}</span>
                    <span className="block text-xs text-ink-soft">
                      {!has_rom
                        ? "The ROM is missing"
                        : is_described
                          ? `Described as ${env_id}`
                          : "Not described yet"}
                    </span>
                  </HoverLink>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </>
  );
}

function LoadedGame({ name }: { name: string }) {
  const game = useQuery(gameQuery(name));
  const limits = useQuery(limitsQuery);
  const failed = [game, limits].find(({ error, data }) => error && !data);
  return (
    <>
      <PageHeader title={`Describe ${name}`}>
        Play the game by hand, save where episodes begin, and find the numbers that the agent sees
        and is rewarded for.
      </PageHeader>
      {failed?.error instanceof ApiError && failed.error.isNotFound ? (
        <EmptyState
          icon={FolderSearch}
          title="There is no such game"
          action={
            <HoverLink href={routes.describeGames} className={buttonClass()}>
              Show all games
            </HoverLink>
          }
        >
          The folder of ROMs has no folder called {name}.
        </EmptyState>
      ) : failed?.error ? (
        <ErrorState
          error={failed.error}
          retry={() => void failed.refetch()}
          retrying={failed.isFetching}
        />
      ) : !game.data || !limits.data ? (
        <div role="status" aria-label="Loading the game" className={GRID}>
          <Skeleton className="h-[60dvh] w-full" />
          <Skeleton className="h-[60dvh] w-full" />
        </div>
      ) : (
        <DescribedGame game={game.data} limits={limits.data} />
      )}
    </>
  );
}

/** The file of a game as it is, to be edited. */
function opened(game: GameDescription) {
  const draft = draftOf(game);
  const content = contentOf(draft);
  return {
    draft,
    digest: game.digest,
    /** Content of the form when the file was opened or saved. */
    first: JSON.stringify(content),
    /** Whether saving changes the file even if nothing is edited, because the form cannot hold all that it says. */
    isConverted: game.content !== null && !isSameFile(content, game.content),
    /** Whether the draft was kept from an earlier visit. */
    isKept: false,
  };
}

const GRID = "grid items-start gap-4 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]";
const SETTLE_MS = 250;

/** A game that is played, searched and described. */
function DescribedGame({ game, limits }: { game: GameDescription; limits: Limits }) {
  const { name, problem } = game;
  const [client] = useState(() => describeSession(name));
  const [edited, setEdited] = useState(() => {
    const kept = keptDraft(game);
    return { ...opened(game), ...kept, isKept: kept !== null };
  });
  const { draft, first, isConverted } = edited;
  const content = useMemo(() => contentOf(draft), [draft]);
  const isEdited = JSON.stringify(content) !== first;
  const setDraft = (change: (draft: GameDraft) => GameDraft) =>
    setEdited((now) => ({ ...now, draft: change(now.draft) }));

  // External system: this tab's storage.
  useEffect(() => {
    keepDraft(name, isEdited ? { digest: edited.digest, draft, rom: game.rom_sha256 } : null);
  }, [name, isEdited, edited.digest, draft, game.rom_sha256]);

  const settled = useSettled(draft, SETTLE_MS);
  const asked = useMemo(() => readableTaps(settled.taps, limits), [settled.taps, limits]);
  // External system: the session, which sends the values of what is described.
  useEffect(() => {
    client.showGameValues({
      taps: [...asked.values()],
      expressions: expressionsOf(settled, limits),
      frame_skip:
        wholeWithin(settled.values.frame_skip, limits.game_frame_skip) ??
        Number(game.defaults.frame_skip),
    });
  }, [client, settled, asked, limits, game.defaults.frame_skip]);

  return (
    <div className="flex flex-col gap-4">
      {problem !== null && (
        <Notice tone="warn" role="status" title="The game cannot be played here">
          <p>{problem}</p>
        </Notice>
      )}
      {edited.isKept && isEdited && (
        <Notice tone="info" role="status" title="These are changes that you have not saved">
          <p>They were kept in this tab. Save them, or discard them below the form.</p>
        </Notice>
      )}
      <div className={problem === null ? GRID : ""}>
        {problem === null && (
          <div className="min-w-0 lg:sticky lg:top-18">
            <DescribedStage client={client} label={name} />
          </div>
        )}
        <div className="flex min-w-0 flex-col gap-4">
          {problem === null && (
            <>
              <StartStateCard
                client={client}
                name={draft.values.start_state.trim()}
                bootFrames={draft.values.boot_frames.trim() || String(game.defaults.boot_frames)}
                onChoose={(start_state) =>
                  setDraft((now) => ({ ...now, values: { ...now.values, start_state } }))
                }
              />
              <RamSearchCard
                client={client}
                bounds={limits.game_search}
                taken={draft.taps}
                onName={(address, type) =>
                  setDraft((now) => ({
                    ...now,
                    taps: [...now.taps, tapDraft({ address, type })],
                  }))
                }
              />
            </>
          )}
          <GameForm
            client={client}
            game={game}
            limits={limits}
            digest={edited.digest}
            draft={draft}
            content={content}
            isEdited={isEdited}
            isConverted={isConverted}
            asked={asked}
            onChange={setDraft}
            onSaved={(saved, content) =>
              setEdited((now) => ({
                ...now,
                digest: saved.digest,
                first: JSON.stringify(content),
                isConverted: false,
                isKept: false,
              }))
            }
            onOpen={(fresh) => setEdited(opened(fresh))}
          />
        </div>
      </div>
    </div>
  );
}
