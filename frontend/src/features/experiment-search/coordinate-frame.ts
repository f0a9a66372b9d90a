/** Where the axes lie: side by side, or, where there is little width, one above the other. */
export interface CoordinateFrame {
  stacked: boolean;
  height: number;
  /** In pixels, of a place from 0 to 1 on an axis. */
  point: (axis: number, place: number) => [number, number];
  /** The place along any axis, from 0 to 1, that a pixel lies at. */
  placeAt: (x: number, y: number) => number;
}

const NARROWEST = 104;
const TALL = 300;
const ROW = 56;
const MARGIN = { left: 48, right: 48, top: 30, bottom: 12, inset: 14 };

export function frameOf(width: number, axes: number): CoordinateFrame {
  const clamp = (share: number) => Math.min(Math.max(share, 0), 1);
  const inner = Math.max(width - MARGIN.left - MARGIN.right, 1);
  if (inner / Math.max(axes - 1, 1) >= NARROWEST) {
    const tall = TALL - MARGIN.top - MARGIN.bottom;
    return {
      ...{ stacked: false, height: TALL },
      point: (axis, place) => [
        MARGIN.left + (inner * axis) / Math.max(axes - 1, 1),
        TALL - MARGIN.bottom - place * tall,
      ],
      placeAt: (_, y) => clamp((TALL - MARGIN.bottom - y) / tall),
    };
  }
  const wide = Math.max(width - 2 * MARGIN.inset, 1);
  return {
    ...{ stacked: true, height: ROW * axes + 12 },
    point: (axis, place) => [MARGIN.inset + place * wide, ROW * axis + 28],
    placeAt: (x) => clamp((x - MARGIN.inset) / wide),
  };
}
