/** How a smoothed line is named on screen. */
export function smoothingLabel(smoothing: number): string {
  return smoothing > 0 ? `EMA ${smoothing.toFixed(2)}` : "no smoothing";
}
