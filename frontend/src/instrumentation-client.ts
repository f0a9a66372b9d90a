import { writeAtOnce } from "@/lib/query-string";

/** Called by the router before it navigates. Back and Forward have changed the address already. */
export function onRouterTransitionStart(_url: string, type: "push" | "replace" | "traverse") {
  if (type !== "traverse") writeAtOnce();
}
