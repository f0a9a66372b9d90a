import type { ComparedRun, Comparison } from "@/lib/api";
import { brief, decimal } from "@/lib/format";
import { sharesEnvironment } from "./figures";

export interface Verdict {
  headline: string;
  why: string[];
  /** What the figures cannot tell. */
  cautions: string[];
}

/** The last returns by which final figures are told apart; as the service's stability. */
const LAST_EPISODES = 20;
/** A difference counts from so many standard errors on. */
const ERRORS = 2;
/** As many runs as a sentence can name. */
const FEW = 3;
/** Reaching the threshold in less than this share of the other's steps counts as sooner. */
const SOONER = 0.9;

/**
 * Which run is better, and why, in words. A difference in final returns counts only when it is larger than
 * what the spread of the last episodes explains. Null with fewer than two runs.
 */
export function verdict(comparison: Comparison): Verdict | null {
  const { runs } = comparison;
  if (runs.length < 2) return null;
  if (!sharesEnvironment(comparison)) {
    const names = [...new Set(runs.map(({ run }) => run.env_id))].join(", ");
    return {
      headline: "These runs cannot be ranked.",
      why: [
        `They trained in different environments (${names}), whose returns mean different things.`,
      ],
      cautions: [],
    };
  }
  const early = runs.filter(({ best_moving_average }) => best_moving_average === null);
  if (early.length > 0) {
    return {
      headline: "It is too early to tell.",
      why: [`${list(early)} ${early.length === 1 ? "has" : "have"} finished too few episodes.`],
      cautions: cautionsOf(comparison),
    };
  }
  return { ...ranked(comparison), cautions: cautionsOf(comparison) };
}

function ranked({ runs, threshold }: Comparison): Omit<Verdict, "cautions"> {
  const byFinal = [...runs].sort((a, b) => final(b) - final(a));
  const [first, second] = [byFinal[0]!, byFinal[1]!];
  const ahead = isClear(first, second);
  const reached = runs.filter(({ steps_to_threshold }) => steps_to_threshold !== null);
  const quickest = soonest(reached, runs.length);
  const end = `${name(first)} ends at ${decimal(final(first))}, ${name(second)} at ${decimal(final(second))}`;
  const speed = threshold === null ? [] : speedReasons(runs, reached, threshold);

  if (ahead && quickest !== null && quickest !== first) {
    return {
      headline: `${name(first)} ends higher; ${name(quickest)} learned faster.`,
      why: [`${end}.`, ...speed],
    };
  }
  if (ahead) {
    return {
      headline: `${name(first)} did ${runs.length === 2 ? "better" : `best of ${runs.length}`}.`,
      why: [
        `${end}: more than the spread of their last ${LAST_EPISODES} episodes explains.`,
        ...speed,
      ],
    };
  }
  const level = `${end}: within the spread of their last ${LAST_EPISODES} episodes.`;
  return quickest
    ? { headline: `Level at the end; ${name(quickest)} learned faster.`, why: [level, ...speed] }
    : { headline: "No clear difference.", why: [level, ...speed] };
}

function speedReasons(
  runs: readonly ComparedRun[],
  reached: readonly ComparedRun[],
  threshold: number,
): string[] {
  const goal = `a mean return of ${decimal(threshold)}`;
  if (reached.length === 0) return [`None reached ${goal}.`];
  const inOrder = [...reached].sort((a, b) => toThreshold(a) - toThreshold(b));
  if (runs.length > FEW) {
    const first = `${name(inOrder[0]!)} first, after ${brief(toThreshold(inOrder[0]!))} steps`;
    return [`${reached.length} of ${runs.length} reached ${goal}, ${first}.`];
  }
  const steps = inOrder.map((run) => `${name(run)} after ${brief(toThreshold(run))} steps`);
  const missed = runs.filter((run) => !reached.includes(run));
  const not = missed.length > 0 ? `; ${list(missed)} did not` : "";
  return [`${capital(goal)} was reached by ${join(steps)}${not}.`];
}

/** The one that reached the threshold clearly before every other; null where none did. */
function soonest(reached: readonly ComparedRun[], of: number): ComparedRun | null {
  const [first, second] = [...reached].sort((a, b) => toThreshold(a) - toThreshold(b));
  if (!first) return null;
  if (!second) return of > 1 ? first : null;
  return toThreshold(first) < SOONER * toThreshold(second) ? first : null;
}

function isClear(first: ComparedRun, second: ComparedRun): boolean {
  const error = Math.hypot(first.stability ?? 0, second.stability ?? 0) / Math.sqrt(LAST_EPISODES);
  return final(first) - final(second) > ERRORS * error;
}

function cautionsOf({ runs, config_diff }: Comparison): string[] {
  const cautions: string[] = [];
  const active = runs.filter(({ run }) => run.ended_at === null);
  if (active.length > 0) {
    cautions.push(`${list(active)} ${active.length === 1 ? "has" : "have"} not ended yet.`);
  }
  const steps = runs.map(({ run }) => run.step);
  if (Math.max(...steps) > 1.1 * Math.min(...steps)) {
    cautions.push("They trained for different numbers of steps.");
  }
  const settings = config_diff.filter(({ path }) => !/^\/(versions|git_revision)/.test(path));
  cautions.push(
    settings.length > 0 && settings.every(({ path }) => path === "/seed")
      ? "Only their seeds differ: this is how much luck decides."
      : "One seed each: with other seeds it may come out differently.",
  );
  return cautions;
}

function final({ final_moving_average, best_moving_average }: ComparedRun): number {
  return final_moving_average ?? best_moving_average ?? -Infinity;
}

function toThreshold({ steps_to_threshold }: ComparedRun): number {
  return steps_to_threshold ?? Infinity;
}

function name({ run }: ComparedRun): string {
  return run.name;
}

function list(runs: readonly ComparedRun[]): string {
  return join(runs.map(name));
}

function join(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
