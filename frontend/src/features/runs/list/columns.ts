/** Shared by the rows and their headings, so that figures stand under each other. */
export const columns =
  "lg:grid-cols-[minmax(0,1fr)_6.5rem_minmax(7rem,11rem)_5.5rem_5rem] lg:items-center lg:gap-x-5";
