import { isGuest } from "@/api/run-availability";
import { isActive } from "@/api/runs";
import type { Run } from "@/api/types";
import { byGroup } from "./series-styles";

/** One or more compared runs that differ only in their seed. */
export interface FewSeeds {
  groupId: string;
  compared: readonly Run[];
}

/** What brings a comparison to seeds enough. */
export interface MoreSeeds {
  /** Ids of runs that the groups have already, but are not compared. */
  there: readonly string[];
  /** What the groups lack even with those: a run of each to repeat, and how many times. */
  lacking: readonly { runId: string; count: number }[];
}

/**
 * The groups among `runs` with fewer compared seeds than `enough`, the number that a verdict needs. Empty for a single
 * group, because there is nothing to compare it with.
 */
export function groupsOfFewSeeds(runs: readonly Run[], enough: number): FewSeeds[] {
  const groups = byGroup(runs);
  if (groups.size < 2) return [];
  return [...groups]
    .map(([groupId, compared]) => ({ groupId, compared }))
    .filter(({ compared }) => compared.filter(hasNotFailed).length < enough);
}

interface Wanted {
  /** Ids of the runs that are to be compared. */
  chosen: readonly string[];
  /** Seeds of a group that a verdict needs. */
  enough: number;
  /** Runs that can be compared at most. */
  most: number;
}

/**
 * The existing and the missing seeds of `groups`; `found` are all runs of these groups. A fork, or a run that the
 * service does not control, cannot be repeated with another seed.
 */
export function moreSeeds(
  groups: readonly FewSeeds[],
  found: readonly Run[],
  { chosen, enough, most }: Wanted,
): MoreSeeds {
  const isChosen = ({ id }: Run) => chosen.includes(id);
  const seeds = groups.map(({ groupId, compared }) => {
    const known = new Map(compared.map((run) => [run.id, run]));
    for (const run of found) if (run.group_id === groupId) known.set(run.id, run);
    const all = [...known.values()];
    return {
      first: compared[0]!,
      counted: all.filter((run) => isChosen(run) && hasNotFailed(run)).length,
      others: all.filter((run) => !isChosen(run) && trainsToItsEnd(run)).map(({ id }) => id),
    };
  });
  const others = seeds.map((group) => group.others);
  return {
    there: evenly(others, most - chosen.length),
    lacking: seeds.flatMap(({ first, counted, others }) => {
      const count = enough - counted - others.length;
      return count < 1 || isGuest(first) || first.parent ? [] : [{ runId: first.id, count }];
    }),
  };
}

function hasNotFailed({ status }: Run): boolean {
  return status !== "failed";
}

/**
 * Whether a run that the user did not choose can represent its settings: runs that ended early or never started cannot.
 */
function trainsToItsEnd(run: Run): boolean {
  return isActive(run) || run.status === "paused" || run.status === "completed";
}

/** At most `room` ids, taken as evenly as possible from the lists, in the order of the lists. */
function evenly(lists: readonly (readonly string[])[], room: number): string[] {
  const places = lists.flatMap((ids) => ids.map((id, place) => ({ id, place })));
  const first = new Set(
    places.toSorted((one, other) => one.place - other.place).slice(0, Math.max(0, room)),
  );
  return places.filter((one) => first.has(one)).map(({ id }) => id);
}
