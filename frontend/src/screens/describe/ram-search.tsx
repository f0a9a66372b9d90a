"use client";

import clsx from "clsx";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import type { GameSearch, SearchTest, TapType } from "@/api/types";
import { count, plural } from "@/lib/number";
import { useStore, useStoreValue } from "@/lib/use-store";
import type { SessionClient } from "@/player/session/session-client";
import { Button, touchClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { ScrollRegion } from "@/ui/scroll-region";
import { controlClass, Select } from "@/ui/select";
import { addressText, parseAddress, type TapDraft, wholeWithin } from "./draft";

type Width = "u8" | "u16" | "u16be";

const WIDTHS: Record<Width, string> = {
  u8: "Bytes (u8)",
  u16: "Words, low byte first (u16)",
  u16be: "Words, high byte first (u16be)",
};

/** Tests without a number. */
const CHANGES: readonly { test: SearchTest; label: string }[] = [
  { test: "changed", label: "Changed" },
  { test: "unchanged", label: "Unchanged" },
  { test: "increased", label: "Increased" },
  { test: "decreased", label: "Decreased" },
];

/** Tests with a number. */
const COMPARISONS: readonly { test: SearchTest; label: string }[] = [
  { test: "equal", label: "Equal to" },
  { test: "not_equal", label: "Not equal to" },
  { test: "greater", label: "Greater than" },
  { test: "less", label: "Less than" },
  { test: "increased", label: "Increased by" },
  { test: "decreased", label: "Decreased by" },
];

type NumberBounds = Parameters<typeof wholeWithin>[1];

interface RamSearchCardProps {
  client: SessionClient;
  /** Of the number that is searched for. */
  bounds: NumberBounds;
  taken: readonly TapDraft[];
  /** Adds a tap for an address. */
  onName: (address: number, type: TapType) => void;
}

/** Finds the address of a number by how it changes while the game is played. */
export function RamSearchCard({ client, bounds, taken, onName }: RamSearchCardProps) {
  const live = useStoreValue(client.state, ({ phase }) => phase === "live");
  const { search } = useStore(client.game);
  const [width, setWidth] = useState<Width>("u8");
  return (
    <Card
      title="Search memory"
      aside={
        search && (
          <span className="text-xs text-ink-soft tabular-nums" role="status">
            {plural(search.total, "candidate")}
          </span>
        )
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      <p className="text-xs text-ink-soft">
        {search
          ? "Change the number in the game, then say how it changed. Play on and repeat until few addresses are left."
          : "Find where the game keeps a number: lives, coins, a room. Begin, change the number in the game, and say how it changed."}
      </p>
      <div className="flex flex-wrap gap-2">
        <Select
          aria-label="Size of the number"
          value={width}
          onChange={(event) => setWidth(event.target.value as Width)}
          className="w-60 max-sm:w-auto max-sm:min-w-0 max-sm:flex-1"
        >
          {Object.entries(WIDTHS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <Button
          variant={search ? "secondary" : "primary"}
          disabled={!live}
          onClick={() => client.send({ type: "search", width })}
        >
          {search ? "New search" : "Begin a search"}
        </Button>
      </div>
      {search && (
        <>
          <Narrowing client={client} bounds={bounds} search={search} />
          <Candidates search={search} taken={taken} onName={onName} />
        </>
      )}
    </Card>
  );
}

interface NarrowingProps {
  client: SessionClient;
  bounds: NumberBounds;
  search: GameSearch;
}

function Narrowing({ client, bounds, search }: NarrowingProps) {
  const [place, setPlace] = useState(0);
  const [text, setText] = useState("");
  const number = wholeWithin(text, bounds) ?? null;
  const narrow = (test: SearchTest, by: number | null = null) =>
    client.send({ type: "narrow", test, number: by });
  const compare = (event: FormEvent) => {
    event.preventDefault();
    if (number !== null) narrow(COMPARISONS[place]!.test, number);
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div
        role="group"
        aria-label="Since the last narrowing"
        className="flex flex-wrap gap-1.5 max-sm:grid max-sm:w-full max-sm:grid-cols-2"
      >
        {CHANGES.map(({ test, label }) => (
          <Button key={test} onClick={() => narrow(test)}>
            {label}
          </Button>
        ))}
      </div>
      <form onSubmit={compare} className="flex min-w-0 gap-1.5 max-sm:w-full">
        <Select
          aria-label="Comparison"
          value={place}
          onChange={(event) => setPlace(Number(event.target.value))}
          className="w-34 max-sm:w-auto max-sm:min-w-0 max-sm:flex-1"
        >
          {COMPARISONS.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </Select>
        <input
          aria-label="Number"
          inputMode="numeric"
          autoComplete="off"
          value={text}
          aria-invalid={(text.trim() !== "" && number === null) || undefined}
          onChange={(event) => setText(event.target.value)}
          className={clsx(controlClass, "w-20!")}
        />
        <Button type="submit" unavailable={number === null && "Enter a whole number."}>
          Narrow
        </Button>
      </form>
      <Button
        variant="quiet"
        unavailable={search.narrowings === 0 && "There is no narrowing to undo."}
        onClick={() => client.send({ type: "undo" })}
      >
        Undo
      </Button>
    </div>
  );
}

interface CandidatesProps {
  search: GameSearch;
  taken: readonly TapDraft[];
  onName: (address: number, type: TapType) => void;
}

function Candidates({ search, taken, onName }: CandidatesProps) {
  const { candidates, total, width } = search;
  const rows = useRef<HTMLTableSectionElement>(null);
  /** The row whose button Tab reaches. The arrow keys lead to the others: Tab would need a press for each. */
  const [reached, setReached] = useState<number | null>(null);
  const named = new Map(taken.map((tap) => [parseAddress(tap.address), tap.name]));
  const free = candidates.filter(({ address }) => !named.has(address));
  const tabStop = free.find(({ address }) => address === reached) ?? free[0];
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...(rows.current?.querySelectorAll("button") ?? [])];
    const place = buttons.indexOf(event.target as HTMLButtonElement);
    if (move === undefined || place < 0) return;
    event.preventDefault();
    buttons[place + move]?.focus();
  };
  if (total === 0) {
    return (
      <p className="text-sm text-ink-soft">
        No address fits. Undo the last narrowing, or begin a new search with another size.
      </p>
    );
  }
  return (
    <>
      <ScrollRegion label="Candidates" className="max-h-64">
        <table className="w-full text-xs tabular-nums">
          <thead className="sticky top-0 bg-surface text-left text-ink-faint">
            <tr>
              <th className="py-1 pr-3 font-medium">Address</th>
              <th className="py-1 pr-3 text-right font-medium">Now</th>
              <th className="py-1 pr-3 text-right font-medium">Before</th>
              <th className="py-1">
                <span className="sr-only">Action</span>
              </th>
            </tr>
          </thead>
          <tbody ref={rows} onKeyDown={onKeyDown}>
            {candidates.map(({ address, value, before }) => (
              <tr key={address} className="border-t border-line">
                <td className="py-1 pr-3 font-mono">{addressText(address)}</td>
                <td className={clsx("py-1 pr-3 text-right", value !== before && "font-semibold")}>
                  {value}
                </td>
                <td className="py-1 pr-3 text-right text-ink-soft">{before}</td>
                <td className="py-0.5 text-right">
                  {named.has(address) ? (
                    <span className="inline-block max-w-24 truncate px-2 py-1.5 align-middle text-ink-faint sm:max-w-48">
                      {named.get(address) || "in the table"}
                    </span>
                  ) : (
                    <Button
                      size="sm"
                      variant="quiet"
                      className={touchClass}
                      aria-label={`Name ${addressText(address)}`}
                      tabIndex={address === tabStop?.address ? 0 : -1}
                      onFocus={() => setReached(address)}
                      onClick={() => onName(address, width ?? "u8")}
                    >
                      Name it
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {total > candidates.length && (
        <p className="text-xs text-ink-faint">
          The first {count(candidates.length)} of {count(total)} are shown.
        </p>
      )}
    </>
  );
}
