"use client";

import { useEffect, useState } from "react";
import type { StepRecord } from "@/api/types";
import { count, decimal } from "@/lib/number";
import type { SessionClient } from "@/player/session/session-client";
import { Card } from "@/ui/card";

/** The episodes that have ended, newest first, each as its last step. */
function useEnded(client: SessionClient): readonly StepRecord[] {
  const [ended, setEnded] = useState<readonly StepRecord[]>([]);
  useEffect(
    () =>
      client.moment.subscribe(() => {
        const record = client.moment.get()?.record;
        if (!record?.terminated && !record?.truncated) return;
        setEnded((before) => [
          record,
          ...before.filter(({ episode }) => episode !== record.episode),
        ]);
      }),
    [client],
  );
  return ended;
}

/** The results of the episodes so far. */
export function PlayedEpisodes({ client }: { client: SessionClient }) {
  const ended = useEnded(client);
  const best = Math.max(...ended.map(({ episode_return }) => episode_return ?? -Infinity));
  const newest = ended[0];
  return (
    <Card title="Episodes" bodyClass="p-4">
      <p role="status" className="sr-only">
        {newest && `Episode ${newest.episode + 1} ended, return ${decimal(newest.episode_return)}.`}
      </p>
      {ended.length === 0 ? (
        <p className="text-sm text-ink-soft">Returns appear when an episode ends.</p>
      ) : (
        <table className="w-full text-sm tabular-nums">
          <thead className="text-left text-xs text-ink-faint">
            <tr>
              <th className="font-normal">Episode</th>
              <th className="text-right font-normal">Steps</th>
              <th className="text-right font-normal">Return</th>
            </tr>
          </thead>
          <tbody>
            {ended.slice(0, 12).map(({ episode, index, episode_return }) => (
              <tr key={episode} className="border-t border-line">
                <td className="py-1">
                  {count(episode + 1)}
                  {episode_return === best && ended.length > 1 && (
                    <span className="ml-2 text-xs text-ink-soft">best</span>
                  )}
                </td>
                <td className="text-right">{count(index)}</td>
                <td className="text-right font-medium">{decimal(episode_return)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
