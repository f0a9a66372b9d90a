"use client";

import { type RefObject, useMemo } from "react";
import type { Actor } from "@/lib/api";
import type { SessionClient } from "@/lib/session";

export interface StageCommands {
  /** The stage gets the keys; it goes on, whoever plays. */
  begin: () => void;
  /** A person pressed a key: the controls are theirs, and it goes on. */
  takeOver: () => void;
  /** Gives the controls to somebody, and goes on. */
  handTo: (actor: Actor) => void;
  /** The keys have left the stage: a person's game waits. */
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
      goOn();
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
        else goOn();
      },
      leave: () => {
        if (isPerson() && client.state.get().playing) client.pause();
      },
    };
  }, [client, stage]);
}
