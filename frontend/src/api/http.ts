import createClient from "openapi-fetch";
import type { paths } from "@/api/schema";
import { rootPath } from "@/lib/root-path";
import { sendInTurn } from "./first-request";
import { leaveFor, loginHref } from "./login";

const origin = (process.env.NEXT_PUBLIC_API_URL ?? "").replace(/\/+$/, "");

/** Same origin unless `NEXT_PUBLIC_API_URL` names another one (only `make dev` does). */
export const apiBase = `${origin}${rootPath}/api`;

/** A link the API returned, which begins with the root path, as a URL the browser can load. */
export function apiLink(path: string): string {
  return `${origin}${path}`;
}

export const http = createClient<paths>({
  baseUrl: apiBase,
  // `fetch` is looked up at every call, so that tests can replace it.
  fetch: sendInTurn,
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

/** One bad field of a request: `pointer` is a JSON pointer such as `/hyperparameters/gamma`. */
export interface FieldProblem {
  pointer: string;
  detail: string;
  /** The character, from 0, at which a text is wrong. */
  position?: number;
}

/** The JSON pointer (RFC 6901) of a field of a request, by the names that lead to it. */
export function pointerTo(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** An error of a request. Status 0: the service did not respond. */
export class ApiError extends Error {
  override name = "ApiError";

  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly fields: FieldProblem[] = [],
  ) {
    super(detail || title);
  }

  get isNotFound() {
    return this.status === 404;
  }

  get isUnreachable() {
    return this.status === 0;
  }
}

export function unreachable(): ApiError {
  return new ApiError(
    0,
    "The service does not answer",
    "Check that the app is still running in its terminal.",
  );
}

/** Why an action failed, with what the user can do. Actions are never retried by themselves. */
export function explainAction(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  const parts = [`${error.title}.`, error.detail, error.isUnreachable && "Then press again."];
  return parts.filter(Boolean).join(" ");
}

/** Parses an RFC 9457 body. Anything else, such as a proxy's HTML page, still gives a readable error. */
export function problemFrom(status: number, body: unknown): ApiError {
  const record = isRecord(body) ? body : {};
  const title = text(record.title) ?? `The service answered ${status}`;
  return new ApiError(status, title, text(record.detail) ?? "", fieldsFrom(record.errors));
}

function fieldsFrom(errors: unknown): FieldProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isRecord).map((error) => ({
    pointer: text(error.pointer) ?? "",
    detail: text(error.detail) ?? "is not valid",
    ...(typeof error.position === "number" && { position: error.position }),
  }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
