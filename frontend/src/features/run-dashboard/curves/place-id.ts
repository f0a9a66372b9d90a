/** Where a chart stands on the page. */
export function placeId(chart: string): string {
  return `chart-${chart}`;
}
