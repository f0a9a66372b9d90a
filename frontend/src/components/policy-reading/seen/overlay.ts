/** Bytes of a picture in the order of `ImageData`: red, green, blue, alpha. */
type Rgba = ArrayLike<number>;

/** The strongest pixel of an overlay leaves so much of the picture visible. */
const STRONGEST = 0.85;

/**
 * How opaque each pixel of the overlay is, from 0 to 255. `maps` are grey and lie side by side, `width` × `height` in all.
 * Merged, they become one picture: the strongest of all at each pixel.
 */
export function alphaOf(
  maps: Rgba,
  {
    width,
    height,
    pictures,
    merged,
  }: { width: number; height: number; pictures: number; merged: boolean },
): Uint8ClampedArray {
  const each = width / pictures;
  const shown = merged ? each : width;
  const alpha = new Uint8ClampedArray(shown * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * shown + (merged ? x % each : x);
      alpha[at] = Math.max(alpha[at]!, STRONGEST * maps[4 * (y * width + x)]!);
    }
  }
  return alpha;
}
