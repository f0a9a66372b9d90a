import { addressOf } from "@/lib/root-path";

/** The service's login page, which returns to `here`. */
export function loginHref(here: { pathname: string; search: string }): string {
  return `${addressOf("/login")}?${new URLSearchParams({ next: here.pathname + here.search })}`;
}

/** Leaves the app for `href`; responses still under way are dropped. */
export function leaveFor(href: string): void {
  window.location.assign(href);
}
