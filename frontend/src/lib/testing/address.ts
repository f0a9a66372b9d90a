import { startTransition, useEffect, useMemo, useState } from "react";

const followers = new Set<() => void>();
const replaceState = window.history.replaceState.bind(window.history);
window.history.replaceState = (...given) => {
  replaceState(...given);
  for (const follow of followers) follow();
};

/** In place of the one of `next/navigation`, of which it has what tests need: it follows the address in a transition. */
export function useSearchParams(): URLSearchParams {
  const [search, setSearch] = useState(() => window.location.search);
  // External system: the address.
  useEffect(() => {
    const follow = () => startTransition(() => setSearch(window.location.search));
    followers.add(follow);
    return () => void followers.delete(follow);
  }, []);
  return useMemo(() => new URLSearchParams(search), [search]);
}
