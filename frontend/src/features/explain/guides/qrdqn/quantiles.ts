import { linspace } from "@/charts/figure-scale";

interface Part {
  weight: number;
  mean: number;
  std: number;
}

/** The return distribution of an action: a mixture of Gaussians. */
export type Returns = readonly Part[];

export const SAFE: Returns = [{ weight: 1, mean: 50, std: 5 }];

/**
 * An action with a high return that fails with probability `risk`. At 0.25 its mean equals that of the safe
 * action.
 */
export function risky(risk: number): Returns {
  return [
    { weight: 1 - risk, mean: 60, std: 4 },
    { weight: risk, mean: 20, std: 4 },
  ];
}

export function mean(returns: Returns): number {
  return returns.reduce((sum, part) => sum + part.weight * part.mean, 0);
}

export function density(returns: Returns, at: number): number {
  return returns.reduce(
    (sum, { weight, mean: mu, std }) =>
      sum +
      (weight * Math.exp(-((at - mu) ** 2) / (2 * std ** 2))) / (std * Math.sqrt(2 * Math.PI)),
    0,
  );
}

export const RANGE = [0, 80] as const;
const CELLS = 1_600;

/** Values at the midpoints (2i − 1) ÷ 2N: the N quantiles QR-DQN learns (Dabney et al., 2017, lemma 2). */
export function quantiles(returns: Returns, count: number): number[] {
  const grid = linspace(RANGE[0], RANGE[1], CELLS);
  const width = (RANGE[1] - RANGE[0]) / CELLS;
  const found: number[] = [];
  let below = 0;
  for (const at of grid) {
    below += density(returns, at) * width;
    while (found.length < count && below >= (2 * found.length + 1) / (2 * count)) found.push(at);
  }
  while (found.length < count) found.push(RANGE[1]);
  return found;
}
