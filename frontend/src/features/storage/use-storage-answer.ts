import { useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import type { Storage } from "@/api/types";

/** Shows what the service answered to a change. A look at it that was on its way before comes too late to count. */
export function useStorageAnswer() {
  const client = useQueryClient();
  return async (answer: Storage) => {
    await client.cancelQueries({ queryKey: keys.storage });
    client.setQueryData(keys.storage, answer);
  };
}
