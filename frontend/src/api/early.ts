/**
 * Requests that a script in the head of a page sends, so that the response arrives while the code loads: the curves of
 * a run, and the list of runs.
 */

import { rootPath } from "@/lib/root-path";
import { apiBase } from "./http";
import { LIST_KEYS } from "./run-filter";

interface EarlyAnswer {
  url: string;
  answer: Promise<Response>;
  /** When the request was sent, in milliseconds of `performance.now`. */
  sent: number;
}

declare global {
  interface Window {
    rlvizEarly?: EarlyAnswer;
  }
}

/** The end of the address of a run's first request, after `/api/runs/{id}`. A test compares both with what pages ask. */
const OPENING = "/page?max_points=2000&smoothing=0.9&x=step";
/** The same of the list of runs, after `/api/runs`, unless the address of the page filters it. */
const LIST = "?grouped=true&training_first=true&without_trials=true&limit=60&offset=0";

/** Milliseconds after which the response is too old: the stream does not report what changed before it began. */
const FRESH_MS = 5_000;

/** A script in the head of every page. It sends the first request of the list of runs and of a run's page. */
export const earlyScript = `(function(){var l=location,p=l.pathname,q=new URLSearchParams(l.search),i=q.get("id"),u=${JSON.stringify(`${apiBase}/runs`)};
if(/\\/runs\\/view$/.test(p)&&/^[a-z0-9][a-z0-9-]{0,127}$/.test(i||"")&&!q.has("smooth")&&!q.has("x"))u+="/"+i+${JSON.stringify(OPENING)};
else if(p===${JSON.stringify(`${rootPath}/`)}&&!${JSON.stringify(LIST_KEYS)}.some(function(k){return q.has(k)}))u+=${JSON.stringify(LIST)};
else return;
var a=fetch(u);a.catch(function(){});window.rlvizEarly={url:u,answer:a,sent:performance.now()}})()`;

/** Whether the page is one of a run whose first request was sent. */
export function hasEarlyOpening(): boolean {
  return typeof window !== "undefined" && Boolean(window.rlvizEarly?.url.endsWith(OPENING));
}

/**
 * Returns a function that sends a request, or returns the response to the same request that the head of the page sent.
 * That response is used once, and only within five seconds. Other requests leave it in place.
 *
 * @param now The clock, in milliseconds of `performance.now`.
 */
export function createEarlyFetch(now: () => number): (request: Request) => Promise<Response> {
  return (request) => {
    const early = typeof window === "undefined" ? undefined : window.rlvizEarly;
    const isSame = early && new URL(early.url, window.location.href).href === request.url;
    if (!isSame) return fetch(request);
    delete window.rlvizEarly;
    return now() - early.sent < FRESH_MS ? early.answer : fetch(request);
  };
}

export const fetchEarly = createEarlyFetch(() => performance.now());
