"use client";

import {
  ArrowDown,
  ArrowUp,
  ArrowUpToLine,
  Clapperboard,
  Copy,
  GitCompareArrows,
  Pause,
  Pencil,
  Play,
  Square,
  SquareArrowOutUpRight,
  Trash2,
} from "lucide-react";
import { canDo, type RunAction, suits, whyNot } from "@/api/run-availability";
import type { Run } from "@/api/types";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { MenuItem, MenuSeparator } from "@/ui/menu";
import { MenuAt } from "./menu-at";

export interface RunMenuActions {
  open: (run: Run) => void;
  compare: (run: Run) => void;
  edit: (run: Run) => void;
  duplicate: (run: Run) => void;
  start: (run: Run) => void;
  pause: (run: Run) => void;
  resume: (run: Run) => void;
  stop: (run: Run) => void;
  evaluate: (run: Run) => void;
  queue: (run: Run, to: "first" | "up" | "down") => void;
  remove: (runs: readonly Run[]) => void;
}

interface RunMenuProps {
  run: Run;
  /** The button that opened the menu. All rows share one menu. */
  button: HTMLElement;
  actions: RunMenuActions;
  onClose: () => void;
}

export function RunMenu({ run, button, actions, onClose }: RunMenuProps) {
  const away = useServiceAway() !== null;
  const reason = (action: RunAction) => whyNot(action, run) ?? (away ? SERVICE_AWAY : null);
  return (
    <MenuAt label={`Actions for ${run.name}`} button={button} onClose={onClose}>
      <MenuItem
        icon={<SquareArrowOutUpRight />}
        shortcut="Enter"
        onSelect={() => actions.open(run)}
      >
        Open
      </MenuItem>
      <MenuItem icon={<GitCompareArrows />} onSelect={() => actions.compare(run)}>
        Compare with…
      </MenuItem>
      {suits("duplicate", run) && (
        <MenuItem icon={<Copy />} onSelect={() => actions.duplicate(run)}>
          Duplicate…
        </MenuItem>
      )}
      <MenuItem
        icon={<Pencil />}
        shortcut="F2"
        reason={reason("rename")}
        onSelect={() => actions.edit(run)}
      >
        Name, tags, notes…
      </MenuItem>
      <MenuSeparator />
      {run.status === "queued" && run.queue_position !== null && (
        <>
          {run.queue_position > 1 && (
            <>
              <MenuItem icon={<ArrowUpToLine />} onSelect={() => actions.queue(run, "first")}>
                Start first
              </MenuItem>
              <MenuItem icon={<ArrowUp />} onSelect={() => actions.queue(run, "up")}>
                Move up in the queue
              </MenuItem>
            </>
          )}
          <MenuItem icon={<ArrowDown />} onSelect={() => actions.queue(run, "down")}>
            Move down in the queue
          </MenuItem>
        </>
      )}
      {canDo("start", run) && (
        <MenuItem icon={<Play />} reason={reason("start")} onSelect={() => actions.start(run)}>
          Start training
        </MenuItem>
      )}
      {canDo("pause", run) && (
        <MenuItem icon={<Pause />} reason={reason("pause")} onSelect={() => actions.pause(run)}>
          Pause
        </MenuItem>
      )}
      {canDo("resume", run) && (
        <MenuItem icon={<Play />} reason={reason("resume")} onSelect={() => actions.resume(run)}>
          Resume
        </MenuItem>
      )}
      {canDo("stop", run) && (
        <MenuItem icon={<Square />} reason={reason("stop")} onSelect={() => actions.stop(run)}>
          Stop and save
        </MenuItem>
      )}
      {run.status !== "created" && suits("evaluate", run) && (
        <MenuItem
          icon={<Clapperboard />}
          reason={reason("evaluate")}
          onSelect={() => actions.evaluate(run)}
        >
          Evaluate
        </MenuItem>
      )}
      <MenuItem
        icon={<Trash2 />}
        danger
        reason={reason("delete")}
        shortcut="Del"
        onSelect={() => actions.remove([run])}
      >
        Delete
      </MenuItem>
    </MenuAt>
  );
}
