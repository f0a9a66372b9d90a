import type { CurveShape } from "./guide";

/**
 * SVG paths in a box of 96 × 40; `mark` repeats the stretch that shows the failure, to be drawn in a stronger
 * colour.
 */
const shapes: Record<CurveShape, { curve: string; mark: string }> = {
  collapse: { curve: "M4 8C16 8 20 12 26 24S38 35 50 35H92", mark: "M26 24C32 32 38 35 50 35H92" },
  spikes: {
    curve: "M4 33L18 31 26 32 32 8 36 30 52 31 60 32 66 5 70 31 92 32",
    mark: "M26 32L32 8 36 30M60 32L66 5 70 31",
  },
  flat: { curve: "M4 34C14 33 20 22 34 20S60 21 92 20", mark: "M34 20C44 19 60 21 92 20" },
  rising: { curve: "M4 35C30 34 52 30 92 10", mark: "M62 26C74 21 84 15 92 10" },
  diverge: { curve: "M4 34C30 34 54 33 68 24S86 8 92 4", mark: "M60 30C74 23 86 9 92 4" },
  high: { curve: "M4 5L60 16H92", mark: "M60 16H92" },
  fallback: {
    curve: "M4 35C20 34 28 10 48 9S62 28 70 30 84 28 92 30",
    mark: "M48 9C60 8 62 28 70 30",
  },
  noise: {
    curve: "M4 30L12 12 20 33 28 16 36 31 44 10 52 33 60 14 68 30 76 12 84 32 92 16",
    mark: "M4 30L12 12 20 33 28 16 36 31 44 10 52 33 60 14 68 30 76 12 84 32 92 16",
  },
};

export function FailureSketch({ shape }: { shape: CurveShape }) {
  const { curve, mark } = shapes[shape];
  return (
    <svg aria-hidden viewBox="0 0 96 40" className="h-12 w-28 shrink-0 rounded-md bg-sunken p-1">
      <g fill="none" strokeLinecap="round" strokeLinejoin="round">
        <path d={curve} className="stroke-control-line" strokeWidth="1.5" />
        <path d={mark} className="stroke-bad" strokeWidth="2.25" />
      </g>
    </svg>
  );
}
