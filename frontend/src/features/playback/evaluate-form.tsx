"use client";

import { Clapperboard } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { plural } from "@/lib/format";

interface EvaluateFormProps {
  busy: boolean;
  blocked: boolean;
  /** The next thing to do on this page. */
  primary: boolean;
  onEvaluate: (episodes: number) => void;
}

const COUNTS = [1, 3, 5, 10, 20];
const USUAL = 5;

export function EvaluateForm({ busy, blocked, primary, onEvaluate }: EvaluateFormProps) {
  const [episodes, setEpisodes] = useState(USUAL);
  return (
    <div className="flex items-center gap-2 max-sm:w-full">
      <Select
        aria-label="Episodes to evaluate"
        className="grow sm:w-30"
        value={episodes}
        onChange={(event) => setEpisodes(Number(event.target.value))}
      >
        {COUNTS.map((n) => (
          <option key={n} value={n}>
            {plural(n, "episode")}
          </option>
        ))}
      </Select>
      <Button
        busy={busy}
        variant={primary ? "primary" : "secondary"}
        disabled={blocked}
        onClick={() => onEvaluate(episodes)}
        icon={<Clapperboard aria-hidden className="size-3.5" />}
      >
        {busy ? "Evaluating…" : "Run Evaluation"}
      </Button>
    </div>
  );
}
