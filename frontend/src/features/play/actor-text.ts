import { count } from "@/lib/number";
import type { SessionState } from "@/player/session/session-machine";

const WHO = { person: "You play", policy: "The policy plays", random: "Chance plays" } as const;

/** Who plays, and which episode: "You play, seed 1,000,000". */
export function actorText({ actor, policy, seed }: SessionState): string {
  if (!actor) return "";
  const step = actor === "policy" && policy ? ` of step ${count(policy.step)}` : "";
  const who = actor === "policy" ? `The policy${step} plays` : WHO[actor];
  return seed === null ? who : `${who}, seed ${count(seed)}`;
}
