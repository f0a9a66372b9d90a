interface Named {
  id: string;
  name: string;
  seed: number;
}

/** The same runs, told apart: behind a name that several have stands the seed or, where that is no help, the id's end. */
export function toldApart<Run extends Named>(runs: readonly Run[]): Run[] {
  return runs.map((run) => {
    const same = runs.filter(({ name }) => name === run.name);
    if (same.length === 1) return run;
    const seeds = new Set(same.map(({ seed }) => seed));
    const mark = seeds.size === same.length ? `seed ${run.seed}` : run.id.slice(-4);
    return { ...run, name: `${run.name} (${mark})` };
  });
}
