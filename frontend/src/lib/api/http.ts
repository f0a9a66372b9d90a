import createClient from "openapi-fetch";
import { apiBase } from "./base";
import { leaveFor, loginHref } from "./login";
import { ApiError, problemFrom, unreachable } from "./problem";
import type { paths } from "./schema";

export const http = createClient<paths>({
  baseUrl: apiBase,
  // Looked up at every call, so that tests can replace it.
  fetch: (request) => fetch(request),
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a successful response; everything else is thrown as an `ApiError`. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call.catch(explain);
  if (!response.ok) refuse(response.status, error);
  return data as T;
}

/** The response to a request for a file, unless it is an error whose status is not in `expected`. */
export async function fetchFile(
  request: Request,
  expected: readonly number[] = [],
): Promise<Response> {
  const response = await fetch(request).catch(explain);
  if (response.ok || expected.includes(response.status)) return response;
  return refuse(response.status, await response.json().catch(() => null));
}

function explain(cause: unknown): never {
  if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
  throw cause instanceof ApiError ? cause : unreachable();
}

function refuse(status: number, body: unknown): never {
  if (status === 401) leaveFor(loginHref(window.location));
  throw problemFrom(status, body);
}
