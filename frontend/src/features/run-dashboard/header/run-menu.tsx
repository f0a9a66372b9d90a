"use client";

import { useQuery } from "@tanstack/react-query";
import {
  ChartLine,
  Copy,
  Download,
  FileJson,
  MoreHorizontal,
  Package,
  Trash2,
  Upload,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/menu";
import {
  artifactLink,
  bundleLink,
  eventFilesLink,
  healthQuery,
  isActive,
  type RunDetail,
} from "@/lib/api";
import { learns, suits, whyNot } from "@/lib/run-actions";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { follow } from "@/lib/download";
import { routes } from "@/lib/url";
import type { RunParts } from "../run-body";
import type { DeleteRun } from "./use-run-actions";

/** What is done with a run now and then. */
interface RunMenuProps {
  run: RunDetail;
  remove: DeleteRun;
  Sinks: RunParts["Sinks"];
}

export function RunMenu({ run, remove, Sinks }: RunMenuProps) {
  const [exports, setExports] = useState(false);
  const router = useRouter();
  const away = useServiceAway() === null ? null : SERVICE_AWAY;
  const { data: health } = useQuery(healthQuery);
  const needed = health?.missing_extras.includes("tensorboard")
    ? "Needs more packages: pip install 'rlviz[tensorboard]'"
    : null;
  const save = (path: string) => follow(artifactLink(run.id, path), `${run.id}-${path}`);
  return (
    <>
      <Menu
        trigger={
          <Button
            aria-label="More actions"
            busy={remove.isPending || remove.data === true}
            icon={<MoreHorizontal aria-hidden className="size-4" />}
            className="px-2.5!"
          />
        }
      >
        {suits("duplicate", run) && (
          <>
            <MenuItem icon={<Copy />} onSelect={() => router.push(routes.duplicate(run.id))}>
              Duplicate…
            </MenuItem>
            <MenuSeparator />
          </>
        )}
        {learns(run) && (
          <MenuItem
            icon={<Download />}
            disabled={run.policy_step === null || run.status === "paused" || isActive(run)}
            onSelect={() => save("model.zip")}
          >
            Download model
          </MenuItem>
        )}
        <MenuItem icon={<FileJson />} onSelect={() => save("config.json")}>
          Download configuration
        </MenuItem>
        <MenuItem icon={<Download />} onSelect={() => save("metrics.jsonl")}>
          Download metrics
        </MenuItem>
        <MenuItem
          icon={<ChartLine />}
          reason={away ?? needed}
          onSelect={() => follow(eventFilesLink(run.id), `${run.id}-tensorboard.zip`)}
        >
          Download TensorBoard logs
        </MenuItem>
        <MenuItem icon={<Upload />} reason={away} onSelect={() => setExports(true)}>
          Export to tracker…
        </MenuItem>
        <MenuItem
          icon={<Package />}
          reason={away}
          onSelect={() => follow(bundleLink(run.id), `${run.id}.zip`)}
        >
          Download bundle
        </MenuItem>
        <MenuSeparator />
        <MenuItem
          icon={<Trash2 />}
          danger
          reason={whyNot("delete", run) ?? away}
          onSelect={() => remove.mutate(run)}
        >
          Delete
        </MenuItem>
      </Menu>
      <Dialog
        open={exports}
        onOpenChange={setExports}
        title="Export to tracker"
        description="Once, as the run is now, or kept up to date with it. Exporting again makes no second run there."
      >
        <div className="-mx-4">
          <Sinks run={run} />
        </div>
      </Dialog>
    </>
  );
}
