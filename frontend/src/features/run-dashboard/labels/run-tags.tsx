"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useLimits } from "@/api/choices";
import { tagsQuery } from "@/api/runs";
import type { Run } from "@/api/types";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Popover } from "@/ui/popover";
import { controlClass } from "@/ui/select";
import { useLabels } from "./use-labels";

export function RunTags({ run }: { run: Run }) {
  const labels = useLabels(run.id);
  const most = useLimits()?.tags.maximum ?? Infinity;
  const set = (tags: string[]) => labels.mutate({ tags });
  return (
    <span className="flex flex-wrap items-center gap-1">
      {run.tags.map((tag) => (
        <Badge key={tag} className="pr-0.5!">
          <span className="truncate">{tag}</span>
          <button
            type="button"
            aria-label={`Remove the tag ${tag}`}
            onClick={() => set(run.tags.filter((other) => other !== tag))}
            className="grid size-4 place-items-center rounded-full text-ink-faint hover:bg-line hover:text-ink max-md:size-6"
          >
            <X aria-hidden className="size-3" />
          </button>
        </Badge>
      ))}
      {run.tags.length < most && <AddTag run={run} onAdd={(tag) => set([...run.tags, tag])} />}
    </span>
  );
}

function AddTag({ run, onAdd }: { run: Run; onAdd: (tag: string) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Add a tag"
      open={open}
      onOpenChange={setOpen}
      className="w-56 p-2"
      trigger={
        <Button
          size="sm"
          variant="quiet"
          aria-label="Add a tag"
          icon={<Plus aria-hidden className="size-3.5" />}
          className="h-5! px-1.5!"
        >
          Tag
        </Button>
      }
    >
      <TagField
        taken={run.tags}
        onAdd={(tag) => {
          setOpen(false);
          onAdd(tag);
        }}
      />
    </Popover>
  );
}

function TagField({ taken, onAdd }: { taken: readonly string[]; onAdd: (tag: string) => void }) {
  const limits = useLimits();
  const { data } = useQuery(tagsQuery);
  const known = (data?.tags ?? []).map(({ name }) => name).filter((tag) => !taken.includes(tag));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const tag = String(new FormData(event.currentTarget).get("tag")).trim();
        if (tag !== "" && !taken.includes(tag)) onAdd(tag);
      }}
    >
      <input
        name="tag"
        aria-label="Tag"
        placeholder="Tag, then Enter"
        maxLength={limits?.tag.maximum}
        list="known-tags"
        autoComplete="off"
        autoFocus
        className={controlClass}
      />
      <datalist id="known-tags">
        {known.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </form>
  );
}
