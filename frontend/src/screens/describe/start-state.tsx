"use client";

import clsx from "clsx";
import { useEffect, useEffectEvent, useState } from "react";
import { useStore, useStoreValue } from "@/lib/use-store";
import type { SessionClient } from "@/player/session/session-client";
import { Button, touchClass } from "@/ui/button";
import { Card } from "@/ui/card";

interface StartStateCardProps {
  client: SessionClient;
  /** File of the start state in the description; empty: episodes begin when the game is switched on. */
  name: string;
  bootFrames: string;
  /** Episodes begin with this file from now on; empty: when the game is switched on. */
  onChoose: (name: string) => void;
}

/** Where episodes begin: its picture, and buttons that save another moment and return to this one. */
export function StartStateCard({ client, name, bootFrames, onChoose }: StartStateCardProps) {
  const live = useStoreValue(client.state, ({ phase }) => phase === "live");
  const { start } = useStore(client.game);
  const choose = useEffectEvent(onChoose);
  /** The start state that was taken out of the description. */
  const [removed, setRemoved] = useState<string | null>(null);
  // External system: the session, which says when the file is written.
  useEffect(
    () =>
      client.game.subscribe(() => {
        const { start: now } = client.game.get();
        if (now?.saved && now !== start) choose(now.name);
      }),
    [client, start],
  );
  const picture = start && start.name === name ? start.picture : null;
  return (
    <Card title="Start of episodes" bodyClass="flex gap-3 p-3">
      <div className="grid aspect-10/9 w-28 shrink-0 place-items-center overflow-hidden rounded-md border border-line bg-sunken text-center text-2xs text-ink-faint">
        {picture ? (
          // The picture is part of the page: the export has no image service.
          // eslint-disable-next-line @next/next/no-img-element
          <img
            src={picture}
            alt={`The screen in ${name}`}
            className="size-full [image-rendering:pixelated]"
          />
        ) : name === "" ? (
          "No start state"
        ) : (
          "Load it to see it"
        )}
      </div>
      <div className="flex min-w-0 grow flex-col gap-2">
        <p className="text-xs wrap-anywhere text-ink-soft">
          {name === ""
            ? `Episodes begin ${bootFrames} frames after the game is switched on. Play to a better moment, and save it.`
            : `Episodes begin with ${name}.`}
        </p>
        <div className="flex flex-wrap gap-1.5">
          <Button
            size="sm"
            className={touchClass}
            variant={name === "" ? "primary" : "secondary"}
            disabled={!live}
            onClick={() => client.send({ type: "save_start" })}
          >
            Save start state
          </Button>
          {name !== "" && (
            <>
              <Button
                size="sm"
                className={touchClass}
                disabled={!live}
                onClick={() => client.send({ type: "load_start", name })}
              >
                Load
              </Button>
              <Button
                size="sm"
                className={touchClass}
                variant="quiet"
                onClick={() => {
                  setRemoved(name);
                  onChoose("");
                }}
              >
                Do not use
              </Button>
            </>
          )}
          {name === "" && removed !== null && (
            <Button
              size="sm"
              className={clsx(touchClass, "max-w-full shrink! truncate")}
              variant="quiet"
              onClick={() => onChoose(removed)}
            >
              Use {removed} again
            </Button>
          )}
        </div>
      </div>
    </Card>
  );
}
