import type { StepSearch } from "@/api/steps";

export type End = "any" | "terminated" | "truncated";

/** Conditions on the steps that are shown. Texts are as typed; an empty one is no condition. */
export interface StepFilter {
  episode: number | null;
  action: string;
  /** A test of the reward, as in `>0`. */
  reward: string;
  end: End;
  text: string;
  /** A condition in words that the service has understood, as in `reward < 0 and action = 1`. */
  condition: string;
  /** A column, with a - in front from the greatest down; empty: as they were played. */
  sort: string;
}

export const ALL_STEPS: StepFilter = {
  episode: null,
  action: "",
  reward: "",
  end: "any",
  text: "",
  condition: "",
  sort: "",
};

const REWARD = /^(?:(?:[<>]=?|!=)\s*)?-?\d+(?:\.\d+)?(?:\.\.-?\d+(?:\.\d+)?)?$/;

/** Whether the service would understand it; an empty text is valid too. */
export function isRewardTest(text: string): boolean {
  return text.trim() === "" || REWARD.test(text.trim());
}

/** The request to the service. An incomplete reward is left out. */
export function searchOf(filter: StepFilter): StepSearch {
  const { episode, action, reward, end, text, condition, sort } = filter;
  const where = [
    action && `action:${action}`,
    reward.trim() && isRewardTest(reward) && `reward:${reward.trim()}`,
    end !== "any" && `${end}:true`,
    text.trim() && `text:${text.trim()}`,
    condition,
  ].filter((condition): condition is string => Boolean(condition));
  return {
    ...(episode !== null && { episode }),
    ...(where.length > 0 && { where }),
    ...(sort && { sort }),
  };
}

/** The sort after a click on a column: from the least up, from the greatest down, as they were played. */
export function nextSort(sort: string, column: string): string {
  if (sort === column) return `-${column}`;
  return sort === `-${column}` ? "" : column;
}
