import clsx from "clsx";
import { type ReactNode, useState } from "react";
import { needsVisits } from "@/api/exploration";
import type { ExplorationPlan, Limits, World } from "@/api/types";
import { setting } from "@/lib/number";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { Switch } from "@/ui/switch";
import { parseDecimal, parseInteger } from "./parse";
import { CHANGED, ResetMark } from "./reset-mark";

/** The switches of exploration, and their numbers as typed. */
export interface ExplorationDraft {
  map: boolean;
  covers: boolean;
  coverage: string;
  seeks: boolean;
  novelty: string;
  returns: boolean;
  archive: string;
  imitates: boolean;
  imitation: string;
}

/** What the environment and the algorithm allow. */
export interface ExplorationChoices {
  /** The cells of the environment; null: it has none. */
  world: World | null;
  /** Whether the algorithm can imitate its best episodes. */
  canImitate: boolean;
}

/** The switches that change how the agent learns, and the plan's field with the number of each. */
export const EXPLORATION_SWITCHES = [
  { on: "covers", field: "coverage" },
  { on: "returns", field: "archive" },
  { on: "seeks", field: "novelty" },
  { on: "imitates", field: "imitation" },
] as const satisfies readonly { on: keyof ExplorationDraft; field: keyof ExplorationPlan }[];

type RealField = "coverage" | "novelty" | "archive";

/** What is wrong, by name of the plan's field. */
export type ExplorationProblems = Partial<Record<keyof ExplorationPlan, string>>;

/** The fields for a plan; everything is off without one. */
export function explorationDraft(
  plan: ExplorationPlan | null | undefined,
  limits: Limits,
): ExplorationDraft {
  const { map = false, coverage = null, novelty = null } = plan ?? {};
  const { archive = null, imitation = null } = plan ?? {};
  return {
    map,
    covers: coverage !== null,
    coverage: setting(coverage ?? limits.coverage.default),
    seeks: novelty !== null,
    novelty: setting(novelty ?? limits.novelty.default),
    returns: archive !== null,
    archive: setting(archive ?? limits.archive.default),
    imitates: imitation !== null,
    imitation: setting(imitation ?? limits.imitation.default),
  };
}

/** What is planned until the user edits it: the preset's plan, and a map where the world has several rooms to find. */
export function defaultExploration(
  world: World | null,
  limits: Limits,
  preset: ExplorationPlan | null = null,
): ExplorationDraft {
  const draft = explorationDraft(preset, limits);
  return { ...draft, map: draft.map || (world?.rooms.length ?? 0) > 1 };
}

/** Whether both plans do the same; null: none. Coverage and the archive have a map without the switch for it. */
export function isSameExploration(
  one: ExplorationPlan | null,
  other: ExplorationPlan | null,
): boolean {
  const [ours, theirs] = [one, other].map((plan) => {
    const { map = false, coverage = null, archive = null, start_cell = null } = plan ?? {};
    const { novelty = null, imitation = null } = plan ?? {};
    const counts = map || coverage !== null || archive !== null;
    return JSON.stringify([counts, coverage, archive, start_cell, novelty, imitation]);
  });
  return ours === theirs;
}

/** The part of a request that asks for `plan`: nothing if the preset plans the same, `{}` if its plan is switched off. */
export function explorationRequest(
  plan: ExplorationPlan | null,
  preset: ExplorationPlan | null,
): { exploration?: ExplorationPlan } {
  return isSameExploration(plan, preset) ? {} : { exploration: plan ?? {} };
}

/** The draft with everything off that the environment or the algorithm does not allow. */
export function fittingExploration(
  draft: ExplorationDraft,
  { world, canImitate }: ExplorationChoices,
): ExplorationDraft {
  return {
    ...draft,
    map: draft.map && world !== null,
    covers: draft.covers && world !== null,
    returns: draft.returns && world !== null,
    imitates: draft.imitates && canImitate,
  };
}

/** The plan that was typed, null if all of it is off, and the problems that prevent it. */
export function explorationOf(
  draft: ExplorationDraft,
  limits: Limits,
  choices: ExplorationChoices,
): { plan: ExplorationPlan | null; problems: ExplorationProblems } {
  const problems: ExplorationProblems = {};
  const take = (field: RealField, text: string) => {
    const { minimum, maximum } = limits[field];
    const parsed = parseDecimal(text, { exclusive_minimum: minimum, maximum });
    if (parsed.ok) return parsed.value as number;
    problems[field] = parsed.problem;
    return null;
  };
  const { map, covers, returns, seeks, imitates } = fittingExploration(draft, choices);
  if (!covers && !map && !returns && !seeks && !imitates) return { plan: null, problems };
  const coverage = covers ? take("coverage", draft.coverage) : null;
  const novelty = seeks ? take("novelty", draft.novelty) : null;
  const archive = returns ? take("archive", draft.archive) : null;
  let imitation: number | null = null;
  if (imitates) {
    const parsed = parseInteger(draft.imitation, limits.imitation);
    if (parsed.ok) imitation = parsed.value as number;
    else problems.imitation = parsed.problem;
  }
  return {
    plan: {
      ...{ map, coverage, novelty },
      ...(archive !== null && { archive }),
      ...(imitation !== null && { imitation }),
    },
    problems,
  };
}

/** For instance `coverage 0.1, novelty 0.5`. */
export function explorationText(plan: ExplorationPlan | null): string {
  const parts = [
    plan?.map && !needsVisits(plan) && "map",
    plan?.coverage != null && `coverage ${setting(plan.coverage)}`,
    plan?.archive != null &&
      `archive ${setting(plan.archive)}${plan.start_cell != null ? ` in cell ${plan.start_cell}` : ""}`,
    plan?.novelty != null && `novelty ${setting(plan.novelty)}`,
    plan?.imitation != null && `imitation ${setting(plan.imitation)}`,
  ].filter(Boolean);
  return parts.length === 0 ? "off" : parts.join(", ");
}

const POINTER = "/exploration/";

/** The problems of exploration by name of its field, from the problems of a run by pointer. */
export function explorationProblems(
  problems: Readonly<Record<string, string>>,
): ExplorationProblems {
  const own = Object.entries(problems).filter(([pointer]) => pointer.startsWith(POINTER));
  return Object.fromEntries(
    own.map(([pointer, problem]) => [pointer.slice(POINTER.length), problem]),
  );
}

/** What a preset sets, to mark the switches that differ from it. */
export interface PresetExploration {
  /** Title of the preset. */
  title: string;
  draft: ExplorationDraft;
}

const ROWS = ["map", ...EXPLORATION_SWITCHES.map(({ field }) => field)] as const;
type Row = (typeof ROWS)[number];

/** What a row is set to: `on`, `off`, or its number as typed. */
function valueOf(draft: ExplorationDraft, row: Row): string {
  if (row === "map") return draft.map || draft.covers || draft.returns ? "on" : "off";
  const { on } = EXPLORATION_SWITCHES.find(({ field }) => field === row)!;
  return draft[on] ? draft[row].trim() : "off";
}

/** The change that sets a row as in `usual`. */
function resetOf(usual: ExplorationDraft, row: Row): Partial<ExplorationDraft> {
  if (row === "map") return { map: valueOf(usual, row) === "on" };
  const { on } = EXPLORATION_SWITCHES.find(({ field }) => field === row)!;
  return { [on]: usual[on], [row]: usual[row] };
}

interface ExplorationSectionProps extends Omit<ExplorationFieldsProps, "usual"> {
  className: string;
  limits: Limits;
  /** Whether it is open before the user opens it. */
  startsOpen: boolean;
  /** The preset, if it sets exploration. */
  preset?: PresetExploration;
  /** Called to set everything as in the preset. */
  onReset?: () => void;
  /** What the head says instead of the switches that are on. */
  summary?: string;
}

/** The section of a form with the switches of exploration; its head says which are on. */
export function ExplorationSection(props: ExplorationSectionProps) {
  const { className, limits, startsOpen, preset, onReset, summary, ...fields } = props;
  const [opened, setOpened] = useState(startsOpen);
  const { draft, choices } = fields;
  const changed = ROWS.filter(
    (row) => preset && valueOf(draft, row) !== valueOf(preset.draft, row),
  );
  return (
    <Disclosure
      className={className}
      open={opened || Object.keys(fields.problems).length > 0}
      onToggle={setOpened}
      summary={<span className="font-semibold">Exploration</span>}
      aside={
        <span className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 truncate text-xs font-normal text-ink-faint">
            {summary ?? explorationText(explorationOf(draft, limits, choices).plan)}
          </span>
          {changed.length > 0 && <Badge tone="warn">{changed.length} changed</Badge>}
        </span>
      }
    >
      <div className="flex flex-col gap-3 pt-3 pb-2 pl-2.5">
        <p className="text-xs text-ink-soft">
          Training can add rewards for exploring. Episode returns and evaluations stay those of the
          environment.
        </p>
        {preset && changed.length > 0 && (
          <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-warn-tint px-3 py-1.5 text-xs text-warn">
            Marked switches differ from {preset.title}.
            <Button size="sm" variant="quiet" onClick={onReset}>
              Reset all
            </Button>
          </div>
        )}
        <ExplorationFields {...fields} usual={preset?.draft} />
      </div>
    </Disclosure>
  );
}

interface ExplorationFieldsProps {
  draft: ExplorationDraft;
  choices: ExplorationChoices;
  problems: ExplorationProblems;
  onChange: (change: Partial<ExplorationDraft>) => void;
  /** What a preset sets: rows that differ from it are marked. Left out: none are. */
  usual?: ExplorationDraft;
}

/** A switch for the map and for each reward, with what it costs. */
export function ExplorationFields(props: ExplorationFieldsProps) {
  const { draft, choices, problems, onChange, usual } = props;
  const { world, canImitate } = choices;
  const needsMap = draft.covers || draft.returns;
  const number = (name: RealField | "imitation", label: string, hint: string) => (
    <Field label={label} hint={hint} error={problems[name]} className="pl-10">
      {(control) => (
        <input
          {...control}
          inputMode="decimal"
          autoComplete="off"
          className={controlClass}
          value={draft[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </Field>
  );
  /** A switch, a mark if it differs from the preset, what it costs, and its number if it is on. */
  const row = (name: Row, control: ReactNode, cost: ReactNode, field?: ReactNode) => {
    const own = usual && valueOf(usual, name);
    const changed = own !== undefined && valueOf(draft, name) !== own;
    return (
      <div className={clsx("flex flex-col gap-2", changed && CHANGED)}>
        <div>
          <div className="flex items-center justify-between gap-2">
            {control}
            {usual && changed && (
              <ResetMark
                name={name}
                usual={own}
                owner="preset"
                onReset={() => onChange(resetOf(usual, name))}
              />
            )}
          </div>
          <p className="pl-10 text-xs text-ink-soft">{cost}</p>
        </div>
        {field}
      </div>
    );
  };
  return (
    <div className="flex flex-col gap-4">
      {world ? (
        <>
          {row(
            "map",
            <Switch
              label="Record the map"
              checked={draft.map || needsMap}
              disabled={needsMap}
              onChange={(map) => onChange({ map })}
            />,
            `Counts visits to each cell. ${needsMap ? "Coverage and the archive need it. " : ""}Costs up to 6\u00a0% of training time.`,
          )}
          {row(
            "coverage",
            <Switch
              label="Reward coverage"
              checked={draft.covers}
              onChange={(covers) => onChange({ covers })}
            />,
            "For the first visit to a cell in an episode. The more episodes have visited the cell, the less. Costs up to 6\u00a0% of training time.",
            draft.covers &&
              number(
                "coverage",
                "Reward for a new cell",
                "Divided by the square root of the number of episodes that visited the cell",
              ),
          )}
          {row(
            "archive",
            <Switch
              label="Begin in an archive"
              checked={draft.returns}
              onChange={(returns) => onChange({ returns })}
            />,
            "Begins some episodes in a cell that was seldom visited. They do not count for the return. Costs 4 to 15\u00a0% of training time, more at first, and up to 64\u00a0MB.",
            draft.returns && number("archive", "Share of episodes", "0.3 is three of ten"),
          )}
        </>
      ) : (
        <p className="text-xs text-ink-soft">
          This environment has no cells, so there is no map, no reward for coverage and no archive.
        </p>
      )}
      {row(
        "novelty",
        <Switch
          label="Reward novelty"
          checked={draft.seeks}
          onChange={(seeks) => onChange({ seeks })}
        />,
        "For observations that a small network predicts badly (RND), because they are rare. Costs 1 to 15\u00a0% of training time, and more with Q-learning on a table.",
        draft.seeks && number("novelty", "At most this share of the return", "0.5 is half of it"),
      )}
      {canImitate &&
        row(
          "imitation",
          <Switch
            label="Imitate the best episodes"
            checked={draft.imitates}
            onChange={(imitates) => onChange({ imitates })}
          />,
          "After an update, learns again from the episodes with the highest returns. Costs 1 to 8\u00a0% of training time, and up to 80\u00a0MB.",
          draft.imitates && number("imitation", "Episodes to keep", "Those with the best returns"),
        )}
    </div>
  );
}
