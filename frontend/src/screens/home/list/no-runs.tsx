"use client";

import { useQuery } from "@tanstack/react-query";
import { ChartSpline, Gamepad2, Play, SlidersHorizontal } from "lucide-react";
import { environmentsQuery } from "@/api/choices";
import { explainAction } from "@/api/http";
import { routes } from "@/lib/routes";
import { Button } from "@/ui/button";
import { EnvironmentStill } from "@/ui/environment-still";
import { HoverLink } from "@/ui/hover-link";
import { EmptyState, Notice } from "@/ui/notice";
import { useCreateRun } from "../create-run";
import { ImportButton } from "../import-button";

const FIRST_RUN = { algo: "ppo", env_id: "CartPole-v1", preset: "fast", start: true } as const;

const LESSONS = [
  ["Train", "An agent plays an environment thousands of times and learns from the reward."],
  ["Watch", "Its return climbs on a live curve, and its newest policy plays beside it."],
  [
    "Compare",
    "Train another algorithm, then see on Compare which is better, and how sure that is.",
  ],
] as const;

interface NoRunsProps {
  onNew: () => void;
  onImport: () => void;
}

/** Shown while there are no runs: what the app is for, and a button to create the first run. */
export function NoRuns({ onNew, onImport }: NoRunsProps) {
  const create = useCreateRun();
  return (
    <div className="pb-10">
      <EmptyState
        icon={ChartSpline}
        title="No runs yet"
        action={
          <>
            <Button
              variant="primary"
              size="lg"
              needsService
              busy={create.isPending || create.isSuccess}
              icon={<Play aria-hidden className="size-4" />}
              onClick={() => create.mutate({ body: FIRST_RUN })}
            >
              Train CartPole with PPO
            </Button>
            <Button
              size="lg"
              icon={<SlidersHorizontal aria-hidden className="size-4" />}
              onClick={onNew}
            >
              Set up another run
            </Button>
            <ImportButton size="lg" onClick={onImport} />
          </>
        }
      >
        A run trains one agent in one environment. The first takes about half a minute: a cart
        learns to balance a pole.
      </EmptyState>
      {create.error && (
        <div className="mx-auto max-w-md px-4 pb-6">
          <Notice tone="bad" role="alert" title="The run was not created">
            <p>{explainAction(create.error)}</p>
          </Notice>
        </div>
      )}
      <EnvironmentTiles />
      <ol className="mx-auto grid max-w-3xl gap-3 px-4 sm:grid-cols-3">
        {LESSONS.map(([title, text], i) => (
          <li key={title} className="rounded-md border border-line bg-sunken p-3">
            <p className="text-sm font-medium">
              <span className="mr-1.5 text-ink-faint tabular-nums">{i + 1}</span>
              {title}
            </p>
            <p className="mt-1 text-xs text-ink-soft">{text}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Tiles of environments. Each opens the new-run form with that environment, or lets the user play it. */
function EnvironmentTiles() {
  const { data } = useQuery(environmentsQuery);
  const environments = (data ?? []).filter(({ available, still_url }) => available && still_url);
  if (environments.length === 0) return null;
  return (
    <nav aria-label="Environments" className="mx-auto mb-6 max-w-3xl px-4">
      <ul className="grid grid-cols-2 gap-2 sm:grid-cols-4 md:grid-cols-7">
        {environments.map(({ id, name, still_url }) => (
          <li key={id}>
            <HoverLink
              href={routes.newRunOn(id)}
              className="block rounded-md p-1 transition-colors hover:bg-sunken"
            >
              <EnvironmentStill url={still_url} className="aspect-3/2 w-full" />
              <span className="mt-1 block truncate text-center text-2xs text-ink-soft">{name}</span>
            </HoverLink>
            <HoverLink
              href={routes.playOn(id)}
              aria-label={`Play ${name} yourself`}
              className="mx-auto flex w-fit items-center gap-1 rounded-sm px-1.5 py-0.5 text-2xs text-ink-faint transition-colors hover:text-ink max-md:py-2"
            >
              <Gamepad2 aria-hidden className="size-3" />
              Play
            </HoverLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
