import { startTransition, useEffect, useMemo, useState } from "react";
import { vi } from "vitest";

/** What a component does with `useRouter().push`. Forgotten after each test. */
export const push = vi.fn<(address: string) => void>();

/** Opens an address before a component is drawn. */
export const goTo = (address: string) => window.history.replaceState(null, "", address);

// What follows stands in for `next/navigation` in the tests of components: `vitest.config.mts` has the alias.

const router = { push };

export const useRouter = () => router;

export const usePathname = () => window.location.pathname;

const followers = new Set<() => void>();
let followed: History["replaceState"] | undefined;

/** Tells the followers what `replaceState` writes. Each test file may have a window of its own. */
function followHistory() {
  if (window.history.replaceState === followed) return;
  const replaceState = window.history.replaceState.bind(window.history);
  followed = (...given) => {
    replaceState(...given);
    for (const follow of followers) follow();
  };
  window.history.replaceState = followed;
}

/** Follows what `replaceState` writes, in a transition as the router does. */
export function useSearchParams(): URLSearchParams {
  const [search, setSearch] = useState(() => window.location.search);
  // External system: the address.
  useEffect(() => {
    followHistory();
    const follow = () => startTransition(() => setSearch(window.location.search));
    followers.add(follow);
    return () => void followers.delete(follow);
  }, []);
  return useMemo(() => new URLSearchParams(search), [search]);
}
