import type { Source } from "./events";

/** The events of the service (`docs/api.md`). */
const EVENTS = ["metrics", "status", "evaluation", "notification", "experiment", "end"];

/** An event stream of this page's own. */
export function openEventSource(url: string): Source {
  const stream = new EventSource(url);
  const source: Source = {
    get readyState() {
      return stream.readyState;
    },
    onopen: null,
    onerror: null,
    onmessage: null,
    close: () => stream.close(),
  };
  stream.onopen = () => source.onopen?.();
  stream.onerror = () => source.onerror?.();
  for (const type of EVENTS) {
    stream.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) =>
      source.onmessage?.({ type, data: JSON.parse(data) as unknown, id: lastEventId }),
    );
  }
  return source;
}
