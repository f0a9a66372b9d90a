"use client";

import { Copy, Download, FileJson, MoreHorizontal, Trash2, Upload } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { learns, suits, whyNot } from "@/api/run-availability";
import { artifactLink, runLink } from "@/api/run-files";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { follow } from "@/lib/download";
import { routes } from "@/lib/routes";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { ExportItems } from "@/screens/shared/export-runs";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Menu, MenuItem, MenuSeparator, MenuSub } from "@/ui/menu";
import type { RunParts } from "../run-body";
import type { DeleteRun } from "./use-header-actions";

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
        <MenuSub icon={<Download />} label="Download">
          {learns(run) && (
            <MenuItem
              icon={<Download />}
              disabled={run.policy_step === null || run.status === "paused" || isActive(run)}
              onSelect={() => save("model.zip")}
            >
              Model
            </MenuItem>
          )}
          <MenuItem icon={<FileJson />} onSelect={() => save("config.json")}>
            Configuration
          </MenuItem>
          <MenuSeparator />
          <ExportItems file={(format) => runLink(run.id, format)} />
        </MenuSub>
        <MenuItem icon={<Upload />} reason={away} onSelect={() => setExports(true)}>
          Export to tracker…
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
