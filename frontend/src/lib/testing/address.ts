import { startTransition, useEffect, useMemo, useState } from "react";

const followers = new Set<() => void>();
const replaceState = window.history.replaceState.bind(window.history);
window.history.replaceState = (...given) => {
  replaceState(...given);
  for (const follow of followers) follow();
};

/** In place of that of `next/navigation`: follows what `replaceState` writes, in a transition as the router does. */
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
