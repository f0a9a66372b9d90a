/** Hands a file to the browser as if a link to it had been followed. */
export function download(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download holds the content by itself once it has begun.
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A title as a file name: `Episode return` → `episode-return`. */
export function fileName(...parts: readonly string[]): string {
  const plain = parts
    .join(" ")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return plain.replaceAll(/^-+|-+$/g, "") || "chart";
}

/** Asks the browser to save what lies at an address, without leaving the page. */
export function follow(address: string, name: string) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
