interface Named {
  id: string;
  name: string;
  seed: number;
}

/**
 * The same runs with names that differ. Runs that share a name get their seed behind it or, where the seeds are the
 * same too, the end of their id.
 */
export function withDistinctNames<Run extends Named>(runs: readonly Run[]): Run[] {
  return runs.map((run) => {
    const same = runs.filter(({ name }) => name === run.name);
    if (same.length === 1) return run;
    const seeds = new Set(same.map(({ seed }) => seed));
    const mark = seeds.size === same.length ? `seed ${run.seed}` : run.id.slice(-4);
    return { ...run, name: `${run.name} (${mark})` };
  });
}
