"use client";

import { useEffect, useState } from "react";

/** An encoded picture, decoded; null while that takes, and if it cannot be. */
export function useDecoded(data: Blob | null): ImageBitmap | null {
  const [decoded, setDecoded] = useState<{ of: Blob; bitmap: ImageBitmap } | null>(null);

  // External system: the browser's decoder, whose pictures have to be closed.
  useEffect(() => {
    if (!data) return;
    let bitmap: ImageBitmap | null = null;
    let left = false;
    createImageBitmap(data)
      .then((made) => {
        if (left) return made.close();
        bitmap = made;
        setDecoded({ of: data, bitmap: made });
      })
      // What cannot be decoded is not shown.
      .catch(() => {});
    return () => {
      left = true;
      bitmap?.close();
    };
  }, [data]);

  return decoded !== null && decoded.of === data ? decoded.bitmap : null;
}
