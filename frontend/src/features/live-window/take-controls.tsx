"use client";

import { Gamepad2, Undo2 } from "lucide-react";
import { useStore } from "@/lib/use-store";
import { KeyCaps, type StageCommands } from "@/player/live/keys";
import type { KeyInput } from "@/player/session/key-input";
import type { SessionClient } from "@/player/session/session-client";
import { Button } from "@/ui/button";
import { Segmented } from "@/ui/segmented";

interface TakeControlsProps {
  client: SessionClient;
  keyInput: KeyInput | null;
  commands: StageCommands;
}

/**
 * Who acts, and how: the controls change hands in mid-episode, with the keys in sight while a person has them, and the
 * policy is greedy or explores.
 */
export function TakeControls({ client, keyInput, commands }: TakeControlsProps) {
  const { phase, hello, actor, greedy } = useStore(client.state);
  const live = phase === "live";
  const isPerson = actor === "person";
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
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
        <Segmented
          legend="Actions"
          options={[
            { value: "greedy", label: "Greedy", disabled: !live },
            { value: "exploring", label: "Exploring", disabled: !live },
          ]}
          value={greedy ? "greedy" : "exploring"}
          onChange={(value) => client.setGreedy(value === "greedy")}
        />
      </div>
      {isPerson && keyInput && hello && (
        <KeyCaps controls={hello.controls} keyInput={keyInput} onPress={commands.takeOver} />
      )}
    </div>
  );
}
