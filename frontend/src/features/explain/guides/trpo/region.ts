export type Vector = readonly [number, number];

export interface Region {
  /** δ, TRPO's `target_kl`. */
  delta: number;
  /** Direction of the gradient, radians. */
  angle: number;
  /** How many times more the policy changes along the first parameter than along the second. */
  skew: number;
}

/** Diagonal of the Fisher matrix: KL(d) ≈ ½ dᵀFd. */
export function fisher({ skew }: Region): Vector {
  return [skew, 1];
}

export function divergence(region: Region, [x, y]: Vector): number {
  const [fx, fy] = fisher(region);
  return (fx * x * x + fy * y * y) / 2;
}

/** Half axes of the ellipse on which the divergence is `delta`. */
export function radii(region: Region): Vector {
  const [fx, fy] = fisher(region);
  return [Math.sqrt((2 * region.delta) / fx), Math.sqrt((2 * region.delta) / fy)];
}

/** The gradient, of length 1. */
export function gradient({ angle }: Region): Vector {
  return [Math.cos(angle), Math.sin(angle)];
}

/** Straight along the gradient, up to the edge. */
export function plainStep(region: Region): Vector {
  return toEdge(region, gradient(region));
}

/** Along F⁻¹g, up to the edge: of all steps inside, the one that promises most (Schulman et al., 2015, appendix C). */
export function naturalStep(region: Region): Vector {
  const [gx, gy] = gradient(region);
  const [fx, fy] = fisher(region);
  return toEdge(region, [gx / fx, gy / fy]);
}

/** Improvement that the gradient promises for a step. */
export function promise(region: Region, [x, y]: Vector): number {
  const [gx, gy] = gradient(region);
  return gx * x + gy * y;
}

function toEdge(region: Region, direction: Vector): Vector {
  const stretch = Math.sqrt(region.delta / divergence(region, direction));
  return [direction[0] * stretch, direction[1] * stretch];
}
