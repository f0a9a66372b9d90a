"use client";

import { type RefObject, useMemo } from "react";
import type { Actor } from "@/api/types";
import type { SessionClient } from "@/lib/session/session-client";

export interface StageCommands {
  /** Focuses the stage and resumes, whoever acts. */
  begin: () => void;
  /** Makes the person the actor and resumes; called when a key is pressed. */
  takeOver: () => void;
  /** Changes the actor and resumes. */
  handTo: (actor: Actor) => void;
  /** Called when the stage loses the focus: a person's game pauses. */
  leave: () => void;
}

export function useStageCommands(
  client: SessionClient,
  stage: RefObject<HTMLElement | null>,
): StageCommands {
  return useMemo(() => {
    const isPerson = () => client.state.get().actor === "person";
    const goOn = () => {
      if (!client.state.get().playing) client.play();
    };
    const begin = () => {
      stage.current?.focus({ preventScroll: true });
      client.play(); // whatever the page believes: a pause may be under way to the session
    };
    return {
      begin,
      takeOver: () => {
        if (!isPerson()) client.setActor("person");
        goOn();
      },
      handTo: (actor) => {
        client.setActor(actor);
        if (actor === "person") begin();
        else client.play();
      },
      leave: () => {
        if (isPerson() && client.state.get().playing) client.pause();
      },
    };
  }, [client, stage]);
}
