import { clippedObjective, type Sample } from "./clipped-objective";

/** Describes in words what the update does with the sample. */
export function caption(sample: Sample): { title: string; text: string } {
  const { pull } = clippedObjective(sample);
  const { ratio, advantage, clip } = sample;
  const better = advantage > 0 ? "better" : "worse";
  const times = `${ratio.toFixed(2)} × as likely as when it was collected`;
  switch (pull) {
    case "none":
      return {
        title: "Nothing to learn here.",
        text: "The action turned out exactly as the value network expected, so it pulls neither way.",
      };
    case "clipped":
      return {
        title: "Clipped: this sample no longer pulls.",
        text: `The action was ${better} than expected and is already ${times}, past ${edge(advantage, clip)}. There the objective is flat; the sample counts in train/clip_fraction and waits for fresh data.`,
      };
    case "up":
      return {
        title: "The update makes the action likelier.",
        text:
          ratio < 1 - clip
            ? `It was better than expected, yet has become only ${times}. On this side nothing is clipped: it is pulled back with full force.`
            : `It was better than expected and is ${times}; it may go on up to ${edge(advantage, clip)}.`,
      };
    case "down":
      return {
        title: "The update makes the action less likely.",
        text:
          ratio > 1 + clip
            ? `It was worse than expected, yet has become ${times}. On this side nothing is clipped: it is pushed away with full force.`
            : `It was worse than expected and is ${times}; it may go on down to ${edge(advantage, clip)}.`,
      };
  }
}

function edge(advantage: number, clip: number): string {
  return advantage > 0 ? `1 + ε = ${(1 + clip).toFixed(2)}` : `1 − ε = ${(1 - clip).toFixed(2)}`;
}
