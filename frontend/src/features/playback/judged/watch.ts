/** What somebody asked to see: an evaluation, and the frame from which its video plays. null: it waits. */
export interface Watch {
  evaluation: string;
  frame: number | null;
}

/** What the address of the page asks for (`?evaluation=eval_…&frame=30`). */
export function watchIn(query: URLSearchParams): Watch | null {
  const evaluation = query.get("evaluation");
  const frame = Number.parseInt(query.get("frame") ?? "", 10);
  return evaluation ? { evaluation, frame: frame >= 0 ? frame : null } : null;
}
