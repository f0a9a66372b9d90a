"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import clsx from "clsx";
import { RotateCcw } from "lucide-react";
import { useId, useState } from "react";
import { saveSettings, settingsQuery } from "@/api/choices";
import { ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import type { ServiceSetting } from "@/api/types";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorState, Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { controlClass, Select } from "@/ui/select";
import { Switch } from "@/ui/switch";
import { fieldText, settingNote, settingTitle, valueOf, valueText } from "./setting-text";

/** Every setting of the service: first those that can be changed here, then the others. */
export function ServiceSettings({ problem }: { problem: string | null }) {
  const { data, error, refetch, isFetching } = useQuery(settingsQuery);
  const [text, setText] = useState("");
  const [onlySet, setOnlySet] = useState(false);
  const wanted = text.trim().toLowerCase();
  const shown = (data ?? []).filter(
    ({ name, variable, description, source }) =>
      (!onlySet || source !== "default") &&
      `${settingTitle(name)} ${variable} ${description}`.toLowerCase().includes(wanted),
  );
  const changeable = shown.filter(({ change }) => change !== null);
  const fixed = shown.filter(({ change }) => change === null);
  return (
    <Card
      title="Service settings"
      aside={
        <div className="flex flex-wrap items-center gap-3">
          <Switch label="Only changed ones" checked={onlySet} onChange={setOnlySet} />
          <input
            type="search"
            aria-label="Filter settings"
            placeholder="Filter"
            value={text}
            onChange={({ target }) => setText(target.value)}
            className={clsx(controlClass, "w-44!")}
          />
        </div>
      }
      bodyClass=""
    >
      {problem && (
        <div className="px-4 pt-3 pb-1">
          <Notice tone="warn" title="Not all saved settings are used">
            <p className="wrap-anywhere">{problem}</p>
          </Notice>
        </div>
      )}
      {data ? (
        <>
          {changeable.length > 0 && (
            <p className="px-4 py-2.5 text-xs text-ink-soft">
              Changes are saved in <code>settings.json</code> in the runs folder and apply at once,
              unless the field says otherwise. Flags, environment variables and <code>.env</code>{" "}
              win over them.
            </p>
          )}
          <ul aria-label="Settings that can be changed here" className={listClass}>
            {changeable.map((setting) => (
              <EditableSetting key={setting.name} setting={setting} />
            ))}
          </ul>
          {fixed.length > 0 && (
            <p className="border-t border-line px-4 py-2.5 text-xs text-ink-soft">
              These name code, paths, addresses or secrets. Set them where you start the service, as
              environment variables, in <code>.env</code> or in <code>rlviz.toml</code>, then start
              it again.
            </p>
          )}
          <ul aria-label="Settings that are fixed" className={listClass}>
            {fixed.map((setting) => (
              <FixedSetting key={setting.name} setting={setting} />
            ))}
          </ul>
          {shown.length === 0 && (
            <p className="px-4 py-6 text-sm text-ink-soft">No setting matches.</p>
          )}
        </>
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />
      ) : (
        <div aria-hidden className="flex flex-col gap-3 p-4">
          {Array.from({ length: 8 }, (_, row) => (
            <Skeleton key={row} className="h-9" />
          ))}
        </div>
      )}
    </Card>
  );
}

const listClass = "divide-y divide-line text-sm not-empty:border-t border-line";
const rowClass =
  "grid gap-x-4 gap-y-1 px-4 py-2 md:grid-cols-[15rem_minmax(0,15rem)_minmax(0,1fr)] md:items-start";

interface SettingProps {
  setting: ServiceSetting;
}

function FixedSetting({ setting }: SettingProps) {
  return (
    <li className={rowClass}>
      <Title setting={setting} />
      <div className="min-w-0">
        <p className="font-mono text-xs wrap-anywhere tabular-nums">
          {valueText(setting.value, setting.unit)}
        </p>
        <Source source={setting.source} />
      </div>
      <p className="min-w-0 text-xs text-ink-soft">{setting.description}</p>
    </li>
  );
}

function Title({ setting: { name, variable }, id }: SettingProps & { id?: string }) {
  return (
    <div className="min-w-0">
      <p id={id}>{settingTitle(name)}</p>
      <code className="block font-mono text-2xs break-all text-ink-faint">{variable}</code>
    </div>
  );
}

function Source({ source }: { source: string }) {
  return (
    <p
      className={clsx(
        "min-w-0 text-2xs wrap-anywhere",
        source === "default" ? "text-ink-faint" : "font-medium text-accent",
      )}
    >
      {source}
    </p>
  );
}

/** A setting with its field. A switch and a choice apply when they are changed, a text with Enter or *Save*. */
function EditableSetting({ setting }: SettingProps) {
  const id = useId();
  const client = useQueryClient();
  const [draft, setDraft] = useState<string | null>(null);
  const { name, change } = setting;
  const save = useMutation({
    mutationFn: (value: unknown) => saveSettings({ [name]: value }),
    onSuccess: async (answer) => {
      await client.cancelQueries({ queryKey: keys.settings });
      client.setQueryData(keys.settings, answer);
      setDraft(null);
      await client.invalidateQueries({ queryKey: keys.health });
    },
  });
  if (!change) return null;
  const note = settingNote(setting);
  const disabled = change.locked_by !== null;
  const isDirty = draft !== null && draft !== fieldText(setting);
  const control = {
    "aria-labelledby": `${id}-name`,
    "aria-describedby": `${id}-note`,
    disabled,
  };
  return (
    <li className={rowClass}>
      <Title setting={setting} id={`${id}-name`} />
      <div className="flex min-w-0 flex-col gap-1">
        <form
          className="flex items-center gap-1.5"
          onSubmit={(event) => {
            event.preventDefault();
            if (isDirty) save.mutate(valueOf(draft, change.kind));
          }}
        >
          {change.kind === "switch" ? (
            <Switch
              label={<span className="sr-only">{settingTitle(name)}</span>}
              checked={
                (change.locked_by ? setting.value : (change.saved ?? setting.value)) === true
              }
              disabled={disabled || save.isPending}
              onChange={(on) => save.mutate(on)}
            />
          ) : change.kind === "choice" ? (
            <Select
              {...control}
              className="grow"
              value={fieldText(setting)}
              onChange={({ currentTarget }) => save.mutate(currentTarget.value)}
            >
              {change.choices.map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </Select>
          ) : (
            <input
              {...control}
              inputMode={
                change.kind === "integer"
                  ? "numeric"
                  : change.kind === "number"
                    ? "decimal"
                    : "text"
              }
              autoComplete="off"
              placeholder="none"
              aria-invalid={save.isError || undefined}
              value={draft ?? fieldText(setting)}
              onChange={({ currentTarget }) => setDraft(currentTarget.value)}
              onKeyDown={({ key }) => {
                if (key !== "Escape") return;
                setDraft(null);
                save.reset();
              }}
              className={clsx(controlClass, change.kind === "json" && "font-mono text-xs!")}
            />
          )}
          {isDirty && (
            <Button type="submit" size="sm" variant="primary" needsService busy={save.isPending}>
              Save
            </Button>
          )}
          {!isDirty && change.saved !== null && (
            <Button
              size="sm"
              variant="quiet"
              needsService
              busy={save.isPending}
              aria-label={`Reset ${settingTitle(name)}`}
              title={`Back to ${valueText(change.otherwise, setting.unit)} (${change.otherwise_source})`}
              onClick={() => save.mutate(null)}
            >
              <RotateCcw aria-hidden className="size-3.5" />
            </Button>
          )}
        </form>
        <Source source={setting.source} />
        {save.error && (
          <p role="alert" className="text-xs wrap-anywhere text-bad">
            {save.error instanceof ApiError && save.error.detail
              ? save.error.detail
              : explainAction(save.error)}
          </p>
        )}
      </div>
      <div id={`${id}-note`} className="min-w-0 text-xs text-ink-soft">
        <p>{setting.description}</p>
        {note && <p className="mt-0.5 font-medium">{note}</p>}
      </div>
    </li>
  );
}
