/** Saves `content` as a file. */
export function download(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Once begun, the download holds the content itself.
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Makes a file name out of a title: `Episode return` → `episode-return`. */
export function fileName(...parts: readonly string[]): string {
  const plain = parts
    .join(" ")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return plain.replaceAll(/^-+|-+$/g, "") || "chart";
}

/** Downloads the file at `address` without leaving the page. */
export function follow(address: string, name: string) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
