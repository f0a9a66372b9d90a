/** Labels of variants by id. */
export function labelsOf(
  variants: readonly { variant: string; label: string }[],
): (id: string) => string {
  const known = new Map(variants.map(({ variant, label }) => [variant, label]));
  return (id) => known.get(id) ?? id;
}
