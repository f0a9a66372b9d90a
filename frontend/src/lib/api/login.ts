/** The service's own login page, which leads back to `here`. */
export function loginHref(here: { pathname: string; search: string }): string {
  return `/login?${new URLSearchParams({ next: here.pathname + here.search })}`;
}

/** Leaves the app; what was on its way is of no use any more. */
export function leaveFor(href: string): void {
  window.location.assign(href);
}
