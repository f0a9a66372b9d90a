"use client";

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import clsx from "clsx";
import { Plus, Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { environmentQuery } from "@/api/choices";
import { type GameChange, gameCheckQuery, gameQuery, saveGame, storedProblems } from "@/api/games";
import { type ApiError, explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import type { GameContent, GameDescription, GameFileProblem, TapType } from "@/api/types";
import { count, decimal, NONE } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useSettled } from "@/lib/time";
import { useStoreValue } from "@/lib/use-store";
import type { SessionClient } from "@/player/session/session-client";
import { Button, buttonClass, touchClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { ConfirmDialog } from "@/ui/dialog";
import { Disclosure } from "@/ui/disclosure";
import { Field, MEND_FIRST, revealProblem } from "@/ui/field";
import { HoverLink } from "@/ui/hover-link";
import { Notice } from "@/ui/notice";
import { controlClass, Select } from "@/ui/select";
import {
  type CellName,
  type DraftLimits,
  addressText,
  componentPointer,
  type FieldProblem,
  type GameDraft,
  nameProblemAt,
  newKey,
  numberProblems,
  parseAddress,
  placeAmong,
  placeOf,
  problemAt,
  problemsElsewhere,
  type ReadableTaps,
  removableKey,
  repeatedComponent,
  TAP_FIELDS,
  TAP_TYPES,
  type TapDraft,
  tapDraft,
  valueProblemAt,
  type ValueName,
  withKey,
  withoutKey,
} from "./draft";

interface GameFormProps {
  client: SessionClient;
  game: GameDescription;
  limits: DraftLimits;
  /** Of the version that is edited; null: there was no file. */
  digest: string | null;
  draft: GameDraft;
  content: GameContent;
  isEdited: boolean;
  /** Whether saving changes the file even if nothing is edited. */
  isConverted: boolean;
  /** The taps whose values the session sends. */
  asked: ReadableTaps;
  onChange: (change: (draft: GameDraft) => GameDraft) => void;
  onSaved: (saved: GameDescription, content: GameContent) => void;
  /** Edit the file as it is now, without the changes made here. */
  onOpen: (fresh: GameDescription) => void;
}

const SETTLE_MS = 250;

/** The description of a game: each field is checked by the service while it is typed, and has its live value beside it. */
export function GameForm({
  client,
  game,
  limits,
  digest,
  draft,
  content,
  isEdited,
  isConverted,
  asked,
  onChange,
  onSaved,
  onOpen,
}: GameFormProps) {
  const form = useRef<HTMLDivElement>(null);
  const settled = useSettled(content, SETTLE_MS);
  const {
    data: checked,
    error: unchecked,
    isPlaceholderData,
  } = useQuery({
    ...gameCheckQuery(game.name, settled),
    placeholderData: keepPreviousData,
  });
  const problems = checked?.problems ?? NO_PROBLEMS;
  const numbers = numberProblems(draft);
  const inFields: readonly FieldProblem[] = [...numbers, ...problems];
  const elsewhere = problemsElsewhere(problems, draft);
  /** Those of the file as it was opened, if it can be read at all. */
  const inFile =
    digest === game.digest && game.unreadable === null ? storedProblems(game) : NO_PROBLEMS;
  /** Whether they are those of what is typed now. Otherwise the service checks it when it is saved. */
  const isCurrent = settled === content && !isPlaceholderData;
  const at = (pointer: string) => problemAt(inFields, pointer);
  const set = (name: ValueName) => (text: string) =>
    onChange((now) => ({ ...now, values: { ...now.values, [name]: text } }));
  const setCell = (name: CellName) => (text: string) =>
    onChange((now) => ({ ...now, cell: { ...now.cell, [name]: text } }));
  const fallback = (name: string) => {
    const value = game.defaults[name];
    return Array.isArray(value) ? value.join(", ") : value === undefined ? "" : String(value);
  };
  const value = (name: ValueName, label: string, more: Partial<TextFieldProps> = {}) => (
    <TextField
      label={label}
      value={draft.values[name]}
      placeholder={fallback(name)}
      error={at(`/${name}`)}
      onChange={set(name)}
      {...more}
    />
  );
  const expression = (name: "done" | "success", label: string, hint: string) =>
    value(name, label, { hint, mono: true, live: <LiveValue client={client} at={`/${name}`} /> });
  const cell = (name: CellName, label: string, more: Partial<TextFieldProps> = {}) => (
    <TextField
      label={label}
      value={draft.cell[name]}
      error={at(`/cell/${name}`)}
      onChange={setCell(name)}
      {...more}
    />
  );
  const repeated = repeatedComponent(draft);
  const others = useRef<HTMLUListElement>(null);
  const blocked = () => {
    if (repeated !== null || numbers.length > 0) return MEND_FIRST;
    if (!isCurrent || problems.length === 0) return null;
    return elsewhere.length === problems.length ? "Fix the listed problems first." : MEND_FIRST;
  };

  return (
    <div
      ref={form}
      className="flex min-w-0 flex-col gap-4 [&_input]:scroll-mb-32 [&_select]:scroll-mb-32"
    >
      {game.unreadable !== null && digest === game.digest && (
        <Notice tone="warn" role="status" title="The file that is there cannot be read">
          <p>{game.unreadable} Correct it by hand, or describe the game again below.</p>
        </Notice>
      )}
      {inFile.length > 0 && (
        <Notice tone="warn" role="status" title="game.toml has problems">
          <ProblemList problems={inFile} />
          <p className="mt-1">The game cannot be used until they are corrected below and saved.</p>
        </Notice>
      )}
      <Card title="Name and buttons" bodyClass="grid gap-3 p-4 sm:grid-cols-2">
        {value("name", "Name")}
        {value("summary", "Summary")}
        {value("buttons", "Buttons", {
          hint: "Separated by commas. right+a holds both together.",
          className: "sm:col-span-2",
        })}
      </Card>
      <TapTable
        client={client}
        rows={draft.taps}
        asked={asked}
        limits={limits}
        problems={inFields}
        onChange={(taps) => onChange((now) => ({ ...now, taps: taps(now.taps) }))}
      />
      <Card title="End of episodes" bodyClass="flex flex-col gap-3 p-4">
        {expression("done", "Done when", "Ends the episode. Example: hearts == 0")}
        {expression(
          "success",
          "Success when",
          "Ends the episode as a success. Example: lamp_lit == 1",
        )}
      </Card>
      <Card
        title="Reward"
        bodyClass="flex flex-col gap-3 p-4"
        aside={
          <Button
            size="sm"
            className={touchClass}
            icon={<Plus aria-hidden className="size-3.5" />}
            onClick={() =>
              onChange((now) => ({
                ...now,
                components: [...now.components, { key: newKey(), name: "", value: "" }],
              }))
            }
          >
            Add a component
          </Button>
        }
      >
        {draft.components.length === 0 && (
          <p className="text-sm text-ink-soft">
            Without components, each reward is 0. One could be <Code>max(0, delta(coins))</Code>:
            the coins gained in a step.
          </p>
        )}
        {draft.components.map((component) => {
          const edit = (change: Partial<typeof component>) =>
            onChange((now) => ({
              ...now,
              components: now.components.map((one) =>
                one.key === component.key ? { ...one, ...change } : one,
              ),
            }));
          const pointer = componentPointer(component.name);
          const isRepeated = repeated !== null && component.name.trim() === repeated;
          return (
            <div key={component.key} className="flex items-start gap-2">
              <div className="grid min-w-0 grow gap-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
                <TextField
                  label="Component"
                  value={component.name}
                  error={
                    isRepeated
                      ? "Another component has this name."
                      : nameProblemAt(problems, pointer)
                  }
                  onChange={(name) => edit({ name })}
                />
                <TextField
                  label="Value in a step"
                  mono
                  value={component.value}
                  error={valueProblemAt(problems, pointer)}
                  live={<LiveValue client={client} at={pointer} />}
                  onChange={(text) => edit({ value: text })}
                />
              </div>
              <RemoveButton
                label={`Remove the component ${component.name}`}
                className="mt-5"
                onClick={() =>
                  onChange((now) => ({
                    ...now,
                    components: now.components.filter(({ key }) => key !== component.key),
                  }))
                }
              />
            </div>
          );
        })}
      </Card>
      <Card bodyClass="px-4 py-2">
        <Disclosure summary="Map and exploration">
          <p className="pt-1 text-xs text-ink-soft">
            With a map, a run counts how often each cell is visited, and exploration can reward new
            cells. Say with taps which cell the player is in. Columns and rows are counted from 0 at
            the top left.
          </p>
          <div className="grid gap-3 py-2 sm:grid-cols-2">
            {cell("x", "Column of the player", {
              mono: true,
              hint: "Example: room % 3 * 10 + square_x",
              live: <LiveValue client={client} at="/cell/x" />,
            })}
            {cell("y", "Row of the player", {
              mono: true,
              hint: "Example: room // 3 * 8 + square_y",
              live: <LiveValue client={client} at="/cell/y" />,
            })}
            {cell("stage", "Stage of progress", {
              mono: true,
              hint: "Counted from 0, such as has_sword + has_key",
              live: <LiveValue client={client} at="/cell/stage" />,
            })}
            {cell("stages", "Number of stages", {
              hint: "Exploration begins again in each stage",
            })}
            {cell("columns", "Number of columns")}
            {cell("rows", "Number of rows")}
            {cell("rooms_across", "Rooms across", { placeholder: "1" })}
            {cell("rooms_down", "Rooms down", { placeholder: "1" })}
            <Field
              label="Names of the rooms"
              hint="One name per line, row by row"
              error={at("/cell/rooms")}
              className="sm:col-span-2"
            >
              {(control) => (
                <textarea
                  {...control}
                  rows={4}
                  spellCheck={false}
                  value={draft.cell.rooms}
                  onChange={(event) => setCell("rooms")(event.target.value)}
                  className={clsx(controlClass, "h-auto! py-2")}
                />
              )}
            </Field>
          </div>
        </Disclosure>
        <Disclosure summary="Steps, episodes and observation">
          <div className="grid gap-3 py-2 sm:grid-cols-2">
            {value("frame_skip", "Frames per step")}
            {value("hold", "Frames that buttons are held", { hint: "In each step" })}
            {value("max_episode_steps", "Steps per episode", {
              hint: "At most. Done or success ends an episode earlier",
            })}
            {value("random_frames", "Random wait", {
              hint: "Up to this many frames before each episode",
            })}
            {value("boot_frames", "Wait after power-on", {
              hint: "Frames. Only without a start state",
            })}
            {value("reward_threshold", "Return that counts as solved")}
            <Field label="Observation" error={at("/observation")}>
              {(control) => (
                <Select
                  {...control}
                  value={draft.values.observation}
                  onChange={(event) => set("observation")(event.target.value)}
                >
                  <option value="">Taps if there are some, else the screen</option>
                  <option value="vector">Vector of taps</option>
                  <option value="pixels">Screen</option>
                </Select>
              )}
            </Field>
            {value("rom_sha256", "SHA-256 of the ROM", {
              mono: true,
              hint: "No other ROM can be used",
              className: "sm:col-span-2",
            })}
          </div>
        </Disclosure>
      </Card>
      <Preview toml={checked?.toml ?? ""} problems={problems} failed={unchecked} />
      {elsewhere.length > 0 && (
        <Notice tone="bad" title="Problems without a field">
          <ul ref={others} tabIndex={-1} className="mt-1 flex flex-col gap-1.5">
            {elsewhere.map((problem) => {
              const { pointer, detail } = problem;
              const key = removableKey(draft, pointer);
              return (
                <li key={`${pointer} ${detail}`} className="flex flex-wrap items-center gap-2">
                  <span className="min-w-0 wrap-anywhere">{withKey(problem)}</span>
                  {key !== null && (
                    <Button size="sm" onClick={() => onChange((now) => withoutKey(now, key))}>
                      Remove {key}
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        </Notice>
      )}
      <SaveBar
        game={game}
        digest={digest}
        content={content}
        isEdited={isEdited}
        isChanged={isEdited || isConverted || inFile.length > 0}
        blocked={blocked()}
        onBlocked={() => {
          if (!revealProblem(form.current)) others.current?.focus();
        }}
        onSaved={onSaved}
        onOpen={onOpen}
      />
    </div>
  );
}

const NO_PROBLEMS: readonly GameFileProblem[] = [];

/** Problems of a file, with their places in it. */
function ProblemList({ problems }: { problems: readonly GameFileProblem[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {problems.map((problem) => (
        <li key={`${problem.pointer} ${problem.detail}`} className="text-xs wrap-anywhere">
          {placeOf(problem)}: {withKey(problem)}
        </li>
      ))}
    </ul>
  );
}

function Code({ children }: { children: ReactNode }) {
  return <code className="rounded-sm bg-sunken px-1 font-mono text-xs">{children}</code>;
}

interface TextFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  hint?: string;
  error?: string;
  mono?: boolean;
  live?: ReactNode;
  className?: string;
}

function TextField({
  label,
  value,
  onChange,
  placeholder,
  hint,
  error,
  mono,
  live,
  className,
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} aside={live} className={className}>
      {(control) => (
        <input
          {...control}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={value}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
          className={clsx(controlClass, mono && "font-mono text-xs!")}
        />
      )}
    </Field>
  );
}

/** The value of an expression after the newest step of the game. */
function LiveValue({ client, at }: { client: SessionClient; at: string }) {
  const now = useStoreValue(client.game, ({ values }) => values?.expressions[at]);
  return (
    <output className="text-xs text-ink-soft tabular-nums" aria-label="Value now">
      {now === undefined ? "" : Number.isInteger(now) ? count(now) : decimal(now)}
    </output>
  );
}

interface TapTableProps {
  client: SessionClient;
  rows: readonly TapDraft[];
  /** The taps whose values the session sends. */
  asked: ReadableTaps;
  limits: DraftLimits;
  problems: readonly FieldProblem[];
  onChange: (change: (rows: readonly TapDraft[]) => readonly TapDraft[]) => void;
}

function TapTable({ client, rows, asked, limits, problems, onChange }: TapTableProps) {
  const list = useRef<HTMLUListElement>(null);
  const known = useRef(rows.length);
  // External system: the focus. A new row is named first.
  useEffect(() => {
    if (rows.length > known.current) {
      const names = list.current?.querySelectorAll<HTMLInputElement>("[data-tap-name]");
      names?.[names.length - 1]?.focus();
    }
    known.current = rows.length;
  }, [rows.length]);
  return (
    <Card
      title="Taps"
      bodyClass="p-4"
      aside={
        <Button
          size="sm"
          className={touchClass}
          icon={<Plus aria-hidden className="size-3.5" />}
          onClick={() => onChange((now) => [...now, tapDraft({})])}
        >
          Add a tap
        </Button>
      }
    >
      {rows.length === 0 && (
        <p className="text-sm text-ink-soft">
          A tap is a number in the memory of the game. Search for one and name it, or add an address
          that you know.
        </p>
      )}
      {rows.length > 0 && (
        <>
          <p className="pb-3 text-xs text-ink-soft">
            The agent sees <em>low</em> as 0 and <em>high</em> as 1. Without them, they are the
            lowest and the highest value of the type.
          </p>
          <div aria-hidden className={clsx(TAP_ROW, "pb-1 text-xs text-ink-soft max-sm:hidden")}>
            <div className={TAP_GRID}>
              {["Name", HEX_ADDRESS, "Type", "Unit", "Low", "High"].map((label) => (
                <span key={label}>{label}</span>
              ))}
            </div>
            <span className="w-12 shrink-0 text-right">Now</span>
            <span className="w-9.5 shrink-0" />
          </div>
        </>
      )}
      <ul ref={list} className="flex flex-col gap-3 max-sm:gap-4">
        {rows.map((row, place) => (
          <TapRow
            key={row.key}
            client={client}
            row={row}
            at={placeAmong(asked, row, limits)}
            error={(name) => problemAt(problems, `/taps/${place}/${name}`)}
            onEdit={(change) =>
              onChange((now) =>
                now.map((one) => (one.key === row.key ? { ...one, ...change } : one)),
              )
            }
            onRemove={() => onChange((now) => now.filter(({ key }) => key !== row.key))}
          />
        ))}
      </ul>
    </Card>
  );
}

/** Head of the column with addresses. */
const HEX_ADDRESS = "Hex address";

const TAP_ROW = "flex items-start gap-2";
const TAP_GRID =
  "grid min-w-0 grow grid-cols-2 gap-2 sm:grid-cols-[minmax(0,1.2fr)_6rem_minmax(0,1.7fr)_minmax(0,0.9fr)_3.5rem_3.5rem]";

/** A control of a tap. On a phone its label is above it; on wider screens it is the head of the column. */
function TapField({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div className={clsx("flex min-w-0 flex-col gap-1", className)}>
      <span aria-hidden className="text-xs text-ink-soft sm:hidden">
        {label}
      </span>
      {children}
    </div>
  );
}

interface TapRowProps {
  client: SessionClient;
  row: TapDraft;
  at: number | null;
  error: (name: keyof TapDraft) => string | undefined;
  onEdit: (change: Partial<TapDraft>) => void;
  onRemove: () => void;
}

function TapRow({ client, row, at, error, onEdit, onRemove }: TapRowProps) {
  const noteId = useId();
  const now = useStoreValue(client.game, ({ values }) =>
    at === null ? null : (values?.taps[at] ?? null),
  );
  const text = (name: Exclude<keyof TapDraft, "key" | "type">, label: string) => (
    <TapField
      label={name === "address" ? HEX_ADDRESS : label}
      className={name === "unit" ? "max-sm:col-span-2" : undefined}
    >
      <input
        aria-label={`${label}${row.name && name !== "name" ? ` of ${row.name}` : ""}`}
        aria-describedby={error(name) ? noteId : undefined}
        aria-invalid={error(name) ? true : undefined}
        data-tap-name={name === "name" || undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={PLACEHOLDERS[name]}
        value={row[name]}
        onChange={(event) => onEdit({ [name]: event.target.value })}
        onBlur={() => {
          const typed = name === "address" ? parseAddress(row.address) : null;
          const address = typed === null ? row.address : addressText(typed);
          if (address !== row.address) onEdit({ address });
        }}
        className={clsx(controlClass, name === "address" && "font-mono text-xs!")}
      />
    </TapField>
  );
  const problem = TAP_FIELDS.map(error).find(Boolean);
  return (
    <li className="flex flex-col gap-1 border-t border-line pt-3 first:border-0 first:pt-0">
      <div className={clsx(TAP_ROW, "max-sm:flex-col max-sm:items-stretch")}>
        <div className={TAP_GRID}>
          {text("name", "Name")}
          {text("address", "Address")}
          <div className="flex min-w-0 gap-2 max-sm:col-span-2">
            <TapField label="Type" className="grow">
              <Select
                aria-label={`Type of ${row.name || "the tap"}`}
                aria-invalid={error("type") ? true : undefined}
                value={row.type}
                onChange={(event) =>
                  onEdit({ type: event.target.value as TapType, bytes: "", bit: "" })
                }
              >
                {Object.entries(TAP_TYPES).map(([type, meaning]) => (
                  <option key={type} value={type}>
                    {`${type}: ${meaning}`}
                  </option>
                ))}
                {!(row.type in TAP_TYPES) && <option value={row.type}>{row.type}</option>}
              </Select>
            </TapField>
            {(row.type === "bit" || row.bit !== "") && (
              <div className="w-12 shrink-0">{text("bit", "Bit")}</div>
            )}
            {(row.type === "bcd" || row.bytes !== "") && (
              <div className="w-14 shrink-0">{text("bytes", "Bytes")}</div>
            )}
          </div>
          {text("unit", "Unit")}
          {text("low", "Low")}
          {text("high", "High")}
        </div>
        <div className="flex items-start gap-2 max-sm:items-center max-sm:justify-between">
          <span aria-hidden className="text-xs text-ink-soft sm:hidden">
            Now
          </span>
          <output
            aria-label={`Value of ${row.name || "the tap"} now`}
            className="w-12 shrink-0 text-right text-sm font-medium tabular-nums max-sm:mr-auto max-sm:w-auto sm:pt-1.5 sm:max-md:pt-2.5"
          >
            {now ?? NONE}
          </output>
          <RemoveButton label={`Remove the tap ${row.name}`} onClick={onRemove} />
        </div>
      </div>
      {problem && (
        <p id={noteId} className="text-xs wrap-anywhere text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}

/** Of fields whose label is not shown beside them on wide screens. */
const PLACEHOLDERS: Partial<Record<keyof TapDraft, string>> = { bit: "Bit", bytes: "Bytes" };

interface RemoveButtonProps {
  label: string;
  onClick: () => void;
  className?: string;
}

function RemoveButton({ label, onClick, className }: RemoveButtonProps) {
  return (
    <Button
      variant="quiet"
      aria-label={label}
      title={label}
      onClick={onClick}
      icon={<Trash2 aria-hidden className="size-3.5" />}
      className={className}
    />
  );
}

interface PreviewProps {
  toml: string;
  problems: readonly GameFileProblem[];
  failed: Error | null;
}

/** The file that would be written. Lines with a problem are marked. */
function Preview({ toml, problems, failed }: PreviewProps) {
  const wrong = new Set(problems.map(({ line }) => line));
  return (
    <Card bodyClass="px-4 py-2">
      <Disclosure
        summary="Preview of game.toml"
        aside={
          problems.length > 0 && (
            <span className="text-xs font-normal text-bad">
              {problems.length === 1 ? "1 problem" : `${problems.length} problems`}
            </span>
          )
        }
      >
        {failed && <p className="py-2 text-sm text-bad">{explainAction(failed)}</p>}
        <ol className="my-2 overflow-x-auto rounded-md border border-line bg-sunken py-2 font-mono text-xs">
          {toml
            .replace(/\n$/, "")
            .split("\n")
            .map((line, index) => (
              <li
                key={index}
                className={clsx("flex gap-3 px-3", wrong.has(index + 1) && "bg-bad-tint")}
              >
                <span aria-hidden className="w-6 shrink-0 text-right text-ink-faint select-none">
                  {index + 1}
                </span>
                <span className="whitespace-pre">{line}</span>
              </li>
            ))}
        </ol>
        <div className="pb-2 text-bad">
          <ProblemList problems={problems} />
        </div>
      </Disclosure>
    </Card>
  );
}

interface SaveBarProps {
  game: GameDescription;
  digest: string | null;
  content: GameContent;
  isEdited: boolean;
  /** Whether saving changes the file. */
  isChanged: boolean;
  /** Why it cannot be saved now; null if it can. */
  blocked: string | null;
  onBlocked: () => void;
  onSaved: (saved: GameDescription, content: GameContent) => void;
  onOpen: (fresh: GameDescription) => void;
}

const CONFLICT = 409;

/** Saves the file, asks before anything is lost, and leads to what can be done with the game. */
function SaveBar({
  game,
  digest,
  content,
  isEdited,
  isChanged,
  blocked,
  onBlocked,
  onSaved,
  onOpen,
}: SaveBarProps) {
  const client = useQueryClient();
  const [asks, setAsks] = useState<"loss" | "discard" | null>(null);
  const [loss, setLoss] = useState(game.loss);
  const [isSaved, setIsSaved] = useState(game.digest !== null && game.unreadable === null);
  const [tried, setTried] = useState(false);
  const save = useMutation<GameDescription, ApiError, GameChange>({
    mutationFn: (change) => saveGame(game.name, change),
    onSuccess: (saved, change) => {
      setAsks(null);
      setLoss(saved.loss);
      setIsSaved(true);
      onSaved(saved, change.content);
      void client.invalidateQueries({ queryKey: keys.environments });
      void client.invalidateQueries({ queryKey: keys.games, exact: true });
    },
  });
  const open = useMutation<GameDescription, ApiError>({
    mutationFn: () => client.fetchQuery({ ...gameQuery(game.name), staleTime: 0 }),
    onSuccess: (fresh) => {
      setAsks(null);
      setLoss(fresh.loss);
      setIsSaved(fresh.digest !== null && fresh.unreadable === null);
      save.reset();
      onOpen(fresh);
    },
  });
  const press = () => {
    setTried(true);
    if (blocked !== null) return onBlocked();
    if (loss !== null) setAsks("loss");
    else save.mutate({ content, digest, accept_loss: false });
  };
  return (
    <div className="sticky bottom-0 z-10 flex flex-col gap-2 rounded-lg border border-line bg-surface px-4 py-3 shadow-card max-md:bottom-14">
      {save.error && (
        <Notice tone="bad" role="alert" title="The file was not saved">
          <p>{explainAction(save.error)}</p>
          {save.error.status === CONFLICT && (
            <p className="mt-2">
              <Button size="sm" onClick={() => setAsks("discard")}>
                Open the file as it is now
              </Button>
            </p>
          )}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant={isSaved && !isChanged ? "secondary" : "primary"}
          needsService
          busy={save.isPending}
          onClick={press}
        >
          Save
        </Button>
        {isEdited && (
          <Button variant="quiet" onClick={() => setAsks("discard")}>
            Discard changes
          </Button>
        )}
        <p
          role="status"
          className={clsx(
            "min-w-0 grow text-xs wrap-anywhere text-ink-soft",
            isSaved && !isChanged && "max-sm:order-last max-sm:w-full",
          )}
        >
          {tried && blocked !== null
            ? blocked
            : isChanged || !isSaved
              ? "Not saved yet"
              : `Saved in ${game.file}`}
        </p>
        {isSaved && !isChanged && (
          <HoverLink href={routes.newRunOn(game.env_id)} className={buttonClass("primary")}>
            Train an agent on it
          </HoverLink>
        )}
      </div>
      {isSaved && !isChanged && save.isSuccess && <Availability envId={game.env_id} />}
      {asks === "loss" && (
        <ConfirmDialog
          title="Replace game.toml?"
          action="Replace it"
          busy={save.isPending}
          failure={save.error && explainAction(save.error)}
          failureTitle="The file was not saved"
          onConfirm={() => save.mutate({ content, digest, accept_loss: true })}
          onClose={() => setAsks(null)}
        >
          <p>{loss}</p>
        </ConfirmDialog>
      )}
      {asks === "discard" && (
        <ConfirmDialog
          title="Discard your changes?"
          action="Discard them"
          busy={open.isPending}
          failure={open.error && explainAction(open.error)}
          onConfirm={() => open.mutate()}
          onClose={() => setAsks(null)}
        >
          <p>
            {isSaved
              ? "The form then shows game.toml as it is now. What you changed here is lost."
              : "The form then starts from the beginning. What you changed here is lost."}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

/** Whether the saved game can be used, which the service tests in a process of its own. */
function Availability({ envId }: { envId: string }) {
  const { data, isFetching } = useQuery({ ...environmentQuery(envId), staleTime: 0 });
  const problem = data?.install_hint;
  return (
    <p role="status" className={clsx("text-xs", problem ? "text-bad" : "text-ink-soft")}>
      {isFetching
        ? "The game is being tested…"
        : problem
          ? `It cannot be used yet. ${problem}`
          : data
            ? [`It can be used as ${envId}.`, ...data.warnings].join(" ")
            : ""}
    </p>
  );
}
