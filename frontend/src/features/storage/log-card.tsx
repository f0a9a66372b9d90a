import { Card } from "@/components/ui/card";
import type { Storage } from "@/lib/api";
import { moment } from "@/lib/format";
import { DeedList } from "./deed-list";

/** What rules have done, the newest first. */
export function LogCard({ storage }: { storage: Storage }) {
  return (
    <Card title="Log" bodyClass="p-4">
      {storage.log.length > 0 ? (
        <DeedList deeds={storage.log} when={(deed) => moment(deed.time)} />
      ) : (
        <p className="text-sm text-ink-soft">No rule has done anything yet.</p>
      )}
    </Card>
  );
}
