import { StepForward } from "lucide-react";
import { PlayKey } from "@/player/live/transport";
import { Key } from "@/player/video/transport";
import { Segmented } from "@/ui/segmented";

interface LiveControlsProps {
  playing: boolean;
  onPlaying: (playing: boolean) => void;
  onStep: () => void;
  greedy: boolean;
  onGreedy: (greedy: boolean) => void;
}

/** Pause, one step, and how actions are chosen: of all runs that play together. */
export function LiveControls({ playing, onPlaying, onStep, greedy, onGreedy }: LiveControlsProps) {
  return (
    <div role="group" aria-label="All runs" className="flex flex-wrap items-center gap-1">
      <PlayKey goesOn={playing} disabled={false} onPress={() => onPlaying(!playing)} />
      <Key label="One step" onPress={onStep}>
        <StepForward aria-hidden className="size-4" />
      </Key>
      <Segmented
        legend="Actions"
        className="ml-auto"
        options={[
          { value: "greedy", label: "Greedy" },
          { value: "exploring", label: "Exploring" },
        ]}
        value={greedy ? "greedy" : "exploring"}
        onChange={(value) => onGreedy(value === "greedy")}
      />
    </div>
  );
}
