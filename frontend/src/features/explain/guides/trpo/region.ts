export type Vector = readonly [number, number];

export interface Region {
  /** δ, TRPO's `target_kl`. */
  delta: number;
  /** Direction of the gradient in radians. */
  angle: number;
  /** How many times more sensitive the policy is to the first parameter than to the second. */
  skew: number;
}

/** Diagonal of the Fisher matrix: KL(d) ≈ ½ dᵀFd. */
function fisher({ skew }: Region): Vector {
  return [skew, 1];
}

export function divergence(region: Region, [x, y]: Vector): number {
  const [fx, fy] = fisher(region);
  return (fx * x * x + fy * y * y) / 2;
}

/** Semi-axes of the ellipse on which the KL divergence is `delta`. */
export function radii(region: Region): Vector {
  const [fx, fy] = fisher(region);
  return [Math.sqrt((2 * region.delta) / fx), Math.sqrt((2 * region.delta) / fy)];
}

/** The gradient, normalised to length 1. */
function gradient({ angle }: Region): Vector {
  return [Math.cos(angle), Math.sin(angle)];
}

/** The step along the gradient that reaches the boundary of the trust region. */
export function plainStep(region: Region): Vector {
  return toEdge(region, gradient(region));
}

/**
 * The step along F⁻¹g that reaches the boundary. To first order, no step within the region improves more
 * (Schulman et al., 2015, appendix C).
 */
export function naturalStep(region: Region): Vector {
  const [gx, gy] = gradient(region);
  const [fx, fy] = fisher(region);
  return toEdge(region, [gx / fx, gy / fy]);
}

/** The improvement of a step by the linear model, gᵀd. */
export function promise(region: Region, [x, y]: Vector): number {
  const [gx, gy] = gradient(region);
  return gx * x + gy * y;
}

function toEdge(region: Region, direction: Vector): Vector {
  const stretch = Math.sqrt(region.delta / divergence(region, direction));
  return [direction[0] * stretch, direction[1] * stretch];
}
