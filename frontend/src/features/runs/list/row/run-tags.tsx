const SHOWN = 2;

export function RunTags({ tags }: { tags: readonly string[] }) {
  const rest = tags.slice(SHOWN);
  return (
    <>
      {tags.slice(0, SHOWN).map((tag) => (
        <span
          key={tag}
          className="max-w-24 shrink-0 truncate rounded-sm bg-rest-tint px-1 text-ink-soft"
        >
          {tag}
        </span>
      ))}
      {rest.length > 0 && <span title={rest.join(", ")}>+{rest.length}</span>}
    </>
  );
}
