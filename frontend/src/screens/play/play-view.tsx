"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { type ReactNode, useState } from "react";
import { environmentsQuery } from "@/api/choices";
import { gamesQuery } from "@/api/games";
import { runQuery } from "@/api/runs";
import type { CreateSession } from "@/api/types";
import { wholeNumber } from "@/lib/agent-view";
import { useQueryString } from "@/lib/query-string";
import { isRunId, routes } from "@/lib/routes";
import { playSession } from "@/player/session/watch-session";
import { PageHeader } from "@/shell/page-header";
import { buttonClass } from "@/ui/button";
import { EnvironmentStill } from "@/ui/environment-still";
import { HoverLink } from "@/ui/hover-link";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { EnvironmentOptions } from "./environment-options";
import { optionValues, readOptions, writeOptions } from "./option-address";
import { PlayRoom } from "./play-room";

/** The page is exported statically, so it reads what to play from the query string. */
export function PlayView() {
  const [query] = useQueryString();
  const run = query.get("run");
  const env = query.get("env");
  const cell = wholeNumber(query.get("cell"));
  if (run && isRunId(run)) return <PlayRun key={`${run} ${cell}`} id={run} cell={cell} />;
  if (env) return <PlayEnvironment key={env} id={env} />;
  return <PlayChoices />;
}

/** The environments that can be played, as pictures. */
export function PlayChoices() {
  const { data, error, refetch, isFetching } = useQuery(environmentsQuery);
  return (
    <>
      <PageHeader title="Play">
        Every environment can be played with the keyboard, to learn what an agent has to learn.
      </PageHeader>
      {data ? (
        <ul className={CHOICES_GRID}>
          {data
            .filter(({ available }) => available)
            .map(({ id, name, summary, still_url }) => (
              <li key={id}>
                <HoverLink
                  href={routes.playOn(id)}
                  className="block h-full rounded-lg border border-line bg-surface p-2 transition-colors hover:border-line-strong hover:bg-raised"
                >
                  <EnvironmentStill url={still_url} className="aspect-3/2 w-full" />
                  <span className="mt-2 block text-sm font-medium">{name}</span>
                  <span className="mt-0.5 line-clamp-2 text-xs text-ink-soft">{summary}</span>
                </HoverLink>
              </li>
            ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : (
        <ChoicesSkeleton />
      )}
      <GamesToDescribe />
    </>
  );
}

/** The user's Game Boy games, described or not; without one, where to begin. */
function GamesToDescribe() {
  const { data } = useQuery(gamesQuery);
  if (!data) return null;
  const games = data.games.filter(({ has_rom }) => has_rom);
  return (
    <section aria-label="Games of your own" className="mt-6 flex flex-wrap items-center gap-2">
      <h2 className="text-sm font-semibold">Games of your own</h2>
      {games.map(({ name, is_described }) => (
        <HoverLink
          key={name}
          href={routes.describeGame(name)}
          className={clsx(buttonClass(), "max-w-full shrink!")}
        >
          <span className="truncate" title={name}>
            {is_described ? `Edit ${name}` : `Describe ${name}`}
          </span>
        </HoverLink>
      ))}
      {games.length === 0 && (
        <HoverLink href={routes.describeGames} className={buttonClass()}>
          Describe a Game Boy game
        </HoverLink>
      )}
    </section>
  );
}

interface PlayRunProps {
  id: string;
  /** The cell of the run's map in which episodes begin; null: at the environment's own start. */
  cell: number | null;
}

/** The environment of a run, played by hand and by its policy in turns. */
function PlayRun({ id, cell }: PlayRunProps) {
  const [client] = useState(() => playSession({ run_id: id, cell }));
  const { data: run, error, refetch } = useQuery(runQuery(id));
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <>
      <PageHeader title="Take the controls">
        Play beside the policy of {run?.name ?? id}
        {cell === null
          ? ", on the same episodes."
          : ", in episodes that begin in a cell of its map. They are not kept, because their returns count from there."}
      </PageHeader>
      <PlayRoom
        client={client}
        envId={run?.env_id ?? null}
        label={run?.env_id ?? id}
        aside={
          <HoverLink href={routes.run(id)} className={buttonClass()}>
            Open the run
          </HoverLink>
        }
      />
    </>
  );
}

/** An environment, played by hand with the options in the address. */
function PlayEnvironment({ id }: { id: string }) {
  const [query, changeQuery] = useQueryString();
  const { data, isPending } = useQuery(environmentsQuery);
  const environment = data?.find((each) => each.id === id);
  const typed = environment ? readOptions(query, environment) : {};
  const values = environment ? optionValues(environment, typed) : {};
  const said = JSON.stringify(values);
  return (
    <>
      <PageHeader title={`Play ${environment?.name ?? id}`}>{environment?.summary}</PageHeader>
      {isPending ? (
        <RoomSkeleton />
      ) : (
        <Room key={said} id={id} options={values as CreateSession["env_options"]}>
          {environment && environment.options.length > 0 && (
            <EnvironmentOptions
              environment={environment}
              typed={typed}
              values={values}
              onPlay={(wanted) => changeQuery((now) => writeOptions(now, environment, wanted))}
            />
          )}
          <HoverLink href={routes.newRunOn(id)} className={buttonClass()}>
            Train an agent here
          </HoverLink>
          <EditGame envId={id} />
        </Room>
      )}
    </>
  );
}

/** A link to the description of the game that an environment is; nothing for other environments. */
function EditGame({ envId }: { envId: string }) {
  const { data } = useQuery({ ...gamesQuery, enabled: envId.startsWith("GameBoy/") });
  const game = data?.games.find(({ env_id }) => env_id === envId);
  if (!game) return null;
  return (
    <HoverLink href={routes.describeGame(game.name)} className={buttonClass()}>
      Edit this game
    </HoverLink>
  );
}

interface RoomProps {
  id: string;
  options: CreateSession["env_options"];
  children: ReactNode;
}

/** A session with these options, which stay. */
function Room({ id, options, children }: RoomProps) {
  const [client] = useState(() => playSession({ env_id: id, env_options: options }));
  return <PlayRoom client={client} envId={id} label={id} aside={children} />;
}

const CHOICES_GRID = "grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5";
export const ROOM_GRID = "grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]";

/** In place of the pictures of what can be played. */
function ChoicesSkeleton() {
  return (
    <div role="status" aria-label="Loading the environments" className={CHOICES_GRID}>
      {Array.from({ length: 10 }, (_, i) => (
        <Skeleton key={i} className="aspect-square w-full" />
      ))}
    </div>
  );
}

/** Placeholder for the stage and the panels beside it. */
function RoomSkeleton() {
  return (
    <div role="status" aria-label="Loading the environment" className={ROOM_GRID}>
      <Skeleton className="h-[60dvh] w-full" />
      <Skeleton className="h-40 w-full max-lg:hidden" />
    </div>
  );
}
