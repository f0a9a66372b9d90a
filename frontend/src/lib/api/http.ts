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
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw cause instanceof ApiError ? cause : unreachable();
  });
  if (response.status === 401) leaveFor(loginHref(window.location));
  if (!response.ok) throw problemFrom(response.status, error);
  return data as T;
}
