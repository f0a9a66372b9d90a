"use client";

import { Gamepad2, Undo2 } from "lucide-react";
import Link from "next/link";
import { KeyCaps } from "@/components/live/keys/key-caps";
import type { StageCommands } from "@/components/live/keys/use-stage-commands";
import { Button } from "@/components/ui/button";
import type { Hand, SessionClient } from "@/lib/session";
import { useStore } from "@/lib/store";
import { routes } from "@/lib/url";

interface TakeControlsProps {
  client: SessionClient;
  runId: string;
  hand: Hand | null;
  commands: StageCommands;
}

/** Takes the controls from the policy in mid-episode, shows the keys, and hands them back. */
export function TakeControls({ client, runId, hand, commands }: TakeControlsProps) {
  const { phase, hello, actor } = useStore(client.state);
  const live = phase === "live";
  const isPerson = actor === "person";
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          disabled={!live}
          onClick={() => commands.handTo(isPerson ? "policy" : "person")}
          icon={
            isPerson ? (
              <Undo2 aria-hidden className="size-3.5" />
            ) : (
              <Gamepad2 aria-hidden className="size-3.5" />
            )
          }
        >
          {isPerson ? "Hand back" : "Take the controls"}
        </Button>
        <Link href={routes.playRun(runId)} className="text-xs text-ink-soft hover:text-ink">
          Play on a page of its own
        </Link>
      </div>
      {isPerson && hand && hello && (
        <KeyCaps controls={hello.controls} hand={hand} onPress={commands.takeOver} />
      )}
    </div>
  );
}
