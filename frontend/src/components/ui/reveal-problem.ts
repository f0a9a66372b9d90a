/**
 * Leads to the first field of a form that is marked as wrong, or that is needed and empty: it is opened, scrolled to and focused.
 * Nothing happens where there is none.
 */
export function revealProblem(form: HTMLElement | null) {
  const bad = form?.querySelector<HTMLElement>("[aria-invalid=true], [aria-required=true]");
  let folded = bad?.closest("details");
  while (folded) {
    folded.open = true;
    folded = folded.parentElement?.closest("details");
  }
  bad?.focus({ preventScroll: true });
  bad?.scrollIntoView({ block: "center" }); // not behind the buttons at the foot of the form
}
