import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import { vi } from "vitest";

type Reply = { status?: number; body?: unknown };
type Answer = (body: unknown, query: URLSearchParams) => Reply;

export interface ServedRequest {
  route: string;
  body: unknown;
}

/** Replaces the HTTP service: answers by `METHOD /path`, and returns the list of requests that it got. */
export function serve(routes: Record<string, Answer>): ServedRequest[] {
  const asked: ServedRequest[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const url = new URL(request.url);
    const route = `${request.method} ${url.pathname.replace(/^\/api/, "")}`;
    const text = await request.text();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    asked.push({ route, body });
    const answer = routes[route];
    if (!answer) throw new TypeError(`nobody answers ${route}`);
    const { status = 200, body: reply } = answer(body, url.searchParams);
    return Response.json(reply ?? null, { status });
  });
  return asked;
}

export function withQueries() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return function Queries({ children }: { children: ReactNode }) {
    return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  };
}

export function renderWithQueries(ui: ReactElement) {
  return render(ui, { wrapper: withQueries() });
}
