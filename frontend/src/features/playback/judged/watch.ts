/** What somebody asked to see: an evaluation, and the frame from which its video plays. null: it waits. */
export interface Watch {
  evaluation: string;
  frame: number | null;
}
