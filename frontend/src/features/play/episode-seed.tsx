"use client";

import { type FormEvent, useState } from "react";
import { useLimits } from "@/api/choices";
import { parseNumber } from "@/lib/number";
import type { SessionClient } from "@/player/session/session-client";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";

interface EpisodeSeedProps {
  client: SessionClient;
  disabled: boolean;
}

/** Another episode: with the next seed, or with one that was typed. */
export function EpisodeSeed({ client, disabled }: EpisodeSeedProps) {
  const [text, setText] = useState("");
  const most = useLimits()?.seed.maximum ?? Number.MAX_SAFE_INTEGER;
  const seed = text.trim() === "" ? null : parseNumber(text);
  const wrong = seed !== null && !(Number.isInteger(seed) && seed >= 0 && seed <= most);
  const begin = (event: FormEvent) => {
    event.preventDefault();
    if (!wrong) client.reset(seed ?? undefined);
  };
  return (
    <Card label="Another episode" bodyClass="p-4">
      <form onSubmit={begin} className="flex items-end gap-2">
        <Field
          label="Seed"
          hint="Blank: the next one"
          error={wrong ? "A seed is a whole number" : undefined}
          className="grow"
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              placeholder="next"
              className={controlClass}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={disabled || wrong} className="mb-5">
          New episode
        </Button>
      </form>
    </Card>
  );
}
