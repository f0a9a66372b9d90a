"use client";

import { useEffect, useRef } from "react";
import type { Controls } from "@/api/types";
import { count } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { LiveFacts } from "@/player/live/stage";
import { actionText, type DrawnSpace } from "@/player/reading/space";
import type { SessionClient } from "@/player/session/session-client";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";

interface FuturesProps {
  client: SessionClient;
  controls: Controls;
  space: DrawnSpace;
}

/** Tries another action at the current step, and shows its result beside the episode. */
export function Futures({ client, controls, space }: FuturesProps) {
  const { phase, partedAt, differsAt } = useStore(client.state);
  const live = phase === "live";
  return (
    <Card title="What if" bodyClass="flex flex-col gap-3 p-4">
      <p className="text-xs text-ink-soft">
        Pauses the game and shows, side by side, what happens with this action and without it.
      </p>
      <div className="flex flex-wrap gap-1.5">
        {triedActions(controls, space).map(({ label, value }) => (
          <Button key={label} size="sm" disabled={!live} onClick={() => client.part(value)}>
            {label}
          </Button>
        ))}
      </div>
      {partedAt !== null && (
        <>
          <p role="status" className="text-xs font-medium">
            Split after step {count(partedAt)}.{" "}
            {differsAt === null
              ? "No difference yet."
              : `First differs at step ${count(differsAt)}.`}
          </p>
          <OtherFuture client={client} />
          <Button size="sm" variant="quiet" onClick={() => client.part(null)}>
            Close the other future
          </Button>
        </>
      )}
    </Card>
  );
}

function OtherFuture({ client }: { client: SessionClient }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = useStore(client.other);
  const picture = shown?.picture ?? null;

  // External system: the canvas.
  useEffect(() => {
    const element = canvas.current;
    if (!element || !picture || picture.width === 0) return;
    element.width = picture.width;
    element.height = picture.height;
    element.getContext("2d")?.drawImage(picture, 0, 0);
  }, [picture]);

  return (
    <>
      <canvas
        ref={canvas}
        role="img"
        aria-label="The other future"
        className="aspect-3/2 w-full rounded-md border border-line bg-sunken object-contain"
      />
      <LiveFacts record={shown?.record ?? null} />
    </>
  );
}

/** An action that can be tried, by what it does. */
export interface TriedAction {
  label: string;
  value: unknown;
}

/** An action for each binding of the keys: a counted one, or one component at its value and the others at rest. */
export function triedActions({ bindings, neutral }: Controls, space: DrawnSpace): TriedAction[] {
  const counted = space.kind === "Discrete";
  const found = new Map<string, unknown>();
  for (const { label, value, component } of bindings) {
    const action = counted
      ? value
      : neutral.map((rest, place) => (place === component ? value : (rest ?? 0)));
    const name = label || (counted ? `action ${value}` : `component ${component} at ${value}`);
    if (!found.has(name)) found.set(name, action);
  }
  const rest = neutral[0];
  if (counted && rest != null && ![...found.values()].includes(rest))
    found.set(actionText(rest, space) ?? "nothing", rest);
  return [...found].map(([label, value]) => ({ label, value }));
}
