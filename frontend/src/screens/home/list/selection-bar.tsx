import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, GitCompareArrows, Pause, Square, Tag, Trash2, X } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { useLimits } from "@/api/choices";
import { whyNotCompare } from "@/api/run-availability";
import { runsByIdQuery, tagsQuery } from "@/api/runs";
import type { Run } from "@/api/types";
import { plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { ExportRunsMenu } from "@/screens/shared/export-runs";
import { Button, buttonClass } from "@/ui/button";
import { HoverLink } from "@/ui/hover-link";
import { Popover } from "@/ui/popover";
import { controlClass } from "@/ui/select";
import type { RunActionsWithToasts } from "@/ui/use-run-actions-with-toasts";

interface SelectionBarProps {
  ids: ReadonlySet<string>;
  onRemove: () => void;
  onClear: () => void;
  actions: Pick<RunActionsWithToasts, "endMany" | "tagMany">;
}

/** A floating bar with actions for the selected runs. */
export function SelectionBar({ ids, onRemove, onClear, actions }: SelectionBarProps) {
  const limits = useLimits();
  const client = useQueryClient();
  const [busy, setBusy] = useState<"stop" | "pause" | null>(null);
  const most = limits?.compared_runs.maximum ?? Infinity;
  const mostExported = limits?.exported_runs.maximum ?? Infinity;
  const loadRuns = async (): Promise<Run[]> => {
    const all = [...ids];
    const asked = Number.isFinite(most) ? most : 1;
    const blocks = Array.from({ length: Math.ceil(all.length / asked) }, (_, i) =>
      client.fetchQuery(runsByIdQuery(all.slice(i * asked, (i + 1) * asked))),
    );
    return (await Promise.all(blocks)).flatMap(({ runs }) => runs);
  };
  const act = async (action: "stop" | "pause") => {
    setBusy(action);
    try {
      await actions.endMany(action, await loadRuns());
    } finally {
      setBusy(null);
    }
  };
  const reason = whyNotCompare(ids.size, most);
  const Icon = <GitCompareArrows aria-hidden className="size-3.5" />;
  return (
    <section
      aria-label="Selected runs"
      data-selection-bar
      className="fixed bottom-4 left-1/2 z-bar flex max-w-[calc(100vw-2rem)] -translate-x-1/2 animate-rise items-center gap-2 rounded-lg border border-line-strong bg-raised p-1.5 shadow-float max-md:bottom-[calc(4.25rem+env(safe-area-inset-bottom))]"
    >
      <p role="status" className="px-2 text-sm whitespace-nowrap tabular-nums">
        {plural(ids.size, "run")} <span className="max-sm:sr-only">selected</span>
      </p>
      {reason === null ? (
        <HoverLink href={routes.compareRuns([...ids])} className={buttonClass("primary")}>
          {Icon}
          Compare
        </HoverLink>
      ) : (
        <Button variant="primary" icon={Icon} unavailable={reason}>
          Compare
        </Button>
      )}
      <Button
        variant="quiet"
        needsService
        busy={busy === "pause"}
        onClick={() => void act("pause")}
        icon={<Pause aria-hidden className="size-3.5" />}
        aria-label={`Pause ${plural(ids.size, "selected run")}`}
      >
        <span className="max-sm:sr-only">Pause</span>
      </Button>
      <Button
        variant="quiet"
        needsService
        busy={busy === "stop"}
        onClick={() => void act("stop")}
        icon={<Square aria-hidden className="size-3.5" />}
        aria-label={`Stop ${plural(ids.size, "selected run")}`}
      >
        <span className="max-sm:sr-only">Stop</span>
      </Button>
      <TagButton
        count={ids.size}
        onTag={async (tag, add) => void actions.tagMany(await loadRuns(), tag, add)}
      />
      <ExportRunsMenu
        of={{ runs: [...ids] }}
        trigger={
          <Button
            variant="quiet"
            disabled={ids.size > mostExported}
            title={ids.size > mostExported ? `At most ${mostExported} together` : undefined}
            icon={<Download aria-hidden className="size-3.5" />}
            aria-label={`Export ${plural(ids.size, "selected run")}`}
          >
            <span className="max-sm:sr-only">Export</span>
          </Button>
        }
      />
      <Button
        variant="quiet"
        needsService
        onClick={onRemove}
        icon={<Trash2 aria-hidden className="size-3.5" />}
        aria-label={`Delete ${plural(ids.size, "selected run")}`}
      >
        <span className="max-sm:sr-only">Delete</span>
      </Button>
      <Button variant="quiet" onClick={onClear} aria-label="Clear the selection">
        <X aria-hidden className="size-4" />
      </Button>
    </section>
  );
}

interface TagButtonProps {
  count: number;
  onTag: (tag: string, add: boolean) => void;
}

/** Adds a tag to the selected runs, or removes one. */
function TagButton({ count, onTag }: TagButtonProps) {
  const [open, setOpen] = useState(false);
  const [tag, setTag] = useState("");
  const known = useQuery({ ...tagsQuery, enabled: open });
  const limits = useLimits();
  const list = useId();
  const send = (add: boolean) => {
    if (tag.trim() === "") return;
    onTag(tag.trim(), add);
    setTag("");
    setOpen(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(true);
  };
  return (
    <Popover
      label="Tag the selected runs"
      side="top"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button
          variant="quiet"
          needsService
          icon={<Tag aria-hidden className="size-3.5" />}
          aria-label={`Tag ${plural(count, "selected run")}`}
        >
          <span className="max-sm:sr-only">Tag</span>
        </Button>
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-2">
        <input
          aria-label="Tag"
          placeholder="Tag"
          autoComplete="off"
          maxLength={limits?.tag.maximum}
          list={list}
          value={tag}
          onChange={({ target }) => setTag(target.value)}
          className={controlClass}
        />
        <datalist id={list}>
          {known.data?.tags.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <div className="flex gap-2">
          <Button type="submit" variant="primary" disabled={tag.trim() === ""}>
            Add tag
          </Button>
          <Button variant="quiet" disabled={tag.trim() === ""} onClick={() => send(false)}>
            Remove tag
          </Button>
        </div>
      </form>
    </Popover>
  );
}
