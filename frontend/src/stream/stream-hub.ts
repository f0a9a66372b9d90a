import type { Timers } from "@/lib/time";
import { EventStreamClient, readCursor } from "./event-stream-client";
import type { Source, StreamEvent } from "./events";
import type { FromHub, Port, ToHub } from "./messages";

/** How many runs one stream can follow (`MAX_RUNS` of the service). */
const MAX_RUNS = 50;

/** Milliseconds between two checks for pages that are gone. */
export const LOOK_MS = 30_000;

/** Looks in a row at which a page may have been silent. Browsers let a hidden page act once a minute only. */
const SILENT_LOOKS = 5;

interface HubOptions {
  open: (url: string) => Source;
  timers: Timers;
  random?: () => number;
}

/** One stream of one page. */
interface Member {
  post: (message: FromHub) => void;
  id: number;
  runs: readonly string[];
  release: () => void;
  isOpen: boolean;
  silentLooks: number;
}

/**
 * One event stream for all pages of an origin: it follows the runs that any of them follows, and hands each page the
 * events of its runs. Browsers allow six connections per host, and every separate stream takes one.
 */
export class StreamHub {
  private readonly members = new Set<Member>();
  private readonly client: EventStreamClient;
  private timer: number | null = null;

  constructor(
    url: string,
    private readonly options: HubOptions,
  ) {
    this.client = new EventStreamClient({ ...options, url, since: Number.MAX_SAFE_INTEGER });
    this.client.onEvent((event) => this.handle(event));
    this.client.state.subscribe(() => this.onState());
  }

  /** Serves a page. */
  connect(port: Port<FromHub, ToHub>) {
    const members = new Map<number, Member>();
    const post = (message: FromHub) => port.postMessage(message);
    port.onmessage = ({ data }) => {
      const { id } = data;
      switch (data.kind) {
        case "open":
          return this.open(members, post, id, new URLSearchParams(data.query));
        case "close":
          this.drop(members.get(id));
          return members.delete(id);
        case "ping": {
          const member = members.get(id);
          const known = member !== undefined && this.members.has(member);
          if (known) member.silentLooks = 0;
          return post({ kind: known ? "pong" : "closed", id });
        }
      }
    };
  }

  private open(
    members: Map<number, Member>,
    post: Member["post"],
    id: number,
    query: URLSearchParams,
  ) {
    const runs = (query.get("runs") ?? "").split(",").filter((run) => run !== "");
    const together = [...this.members].flatMap((member) => member.runs).concat(runs);
    if (new Set(together).size > MAX_RUNS) return post({ kind: "full", id });
    const cursors = readCursor(query.get("last_event_id"));
    const releases = runs.map((run) =>
      this.client.follow(run, `${run}:${cursors.get(run) ?? 0}`, (rows, cursor) =>
        post({
          kind: "message",
          id,
          message: { type: "metrics", data: { run_id: run, rows }, id: cursor },
        }),
      ),
    );
    const release = () => releases.forEach((each) => each());
    const member: Member = { post, id, runs, release, isOpen: false, silentLooks: 0 };
    members.set(id, member);
    this.members.add(member);
    this.client.repeatNotifications(Number(query.get("notified") ?? 0));
    // Also where the stream is open and follows these runs: it tells their state only when it is opened.
    this.client.reopen();
    this.client.resume();
    this.timer ??= this.options.timers.set(() => this.look(), LOOK_MS);
  }

  private drop(member: Member | undefined) {
    if (!member || !this.members.delete(member)) return;
    member.release();
    if (this.members.size > 0) return;
    this.client.stop();
    if (this.timer !== null) this.options.timers.clear(this.timer);
    this.timer = null;
  }

  private look() {
    for (const member of [...this.members]) {
      member.silentLooks += 1;
      if (member.silentLooks > SILENT_LOOKS) this.drop(member);
    }
    this.timer = this.members.size > 0 ? this.options.timers.set(() => this.look(), LOOK_MS) : null;
  }

  private onState() {
    if (this.client.state.get() !== "reconnecting") return;
    for (const member of this.members) {
      if (member.isOpen) member.post({ kind: "interrupted", id: member.id });
      member.isOpen = false;
    }
  }

  private handle(event: StreamEvent) {
    switch (event.kind) {
      case "opened":
      case "reopened":
      case "reconnected":
        return this.members.forEach((member) => this.setOpen(member));
      case "refused":
        // One of the runs may be the reason. Each page then tries a stream of its own.
        for (const member of [...this.members]) {
          this.drop(member);
          member.post({ kind: "closed", id: member.id });
        }
        return;
      case "status":
        return this.tell("status", { run: event.run });
      case "evaluation":
        return this.tell("evaluation", { evaluation: event.evaluation });
      case "experiment":
        return this.tell("experiment", { experiment_id: event.id });
      case "notification":
        return this.tell("notification", { notification: event.notification });
      case "end":
        return this.tell("end", event.end);
    }
  }

  private setOpen(member: Member) {
    if (member.isOpen) this.post(member, "reopened", null);
    else member.post({ kind: "opened", id: member.id });
    member.isOpen = true;
  }

  private tell(type: string, data: unknown) {
    for (const member of this.members) this.post(member, type, data);
  }

  private post({ post, id }: Member, type: string, data: unknown) {
    post({ kind: "message", id, message: { type, data, id: "" } });
  }
}
