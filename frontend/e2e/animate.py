"""Join the pictures that ``learning-picture.mjs`` took into one animated WebP of at most 1.5 MB."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PIL import Image

MOST_BYTES = 1_500_000
WIDTH = 900
MOST_SECONDS = 14
LEAST_SPEED = 4
PICTURES_A_SECOND = 9
QUALITIES = (60, 50, 40, 30, 20)
LAST_MS = 3_000
"""Duration of the last picture before the animation repeats."""


def main(folder: Path, output: Path) -> None:
    pictures = json.loads((folder / "pictures.json").read_text())
    recorded = pictures[-1]["seconds"]
    speed = max(LEAST_SPEED, recorded / MOST_SECONDS)
    count = max(2, min(len(pictures), round(recorded / speed * PICTURES_A_SECOND)))
    kept = [pictures[round(place * (len(pictures) - 1) / (count - 1))] for place in range(count)]
    frames = [scaled(Path(picture["file"])) for picture in kept]
    duration = round(1_000 * recorded / speed / count)
    for quality in QUALITIES:
        frames[0].save(
            output,
            save_all=True,
            append_images=frames[1:],
            duration=[duration] * (count - 1) + [LAST_MS],
            loop=0,
            quality=quality,
            method=4,
        )
        size = output.stat().st_size
        print(f"{count} pictures, {speed:.0f} times as fast as recorded, quality {quality}: {size} bytes", flush=True)
        if size <= MOST_BYTES:
            return
    sys.exit("The animation is too large.")


def scaled(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        height = round(WIDTH * picture.height / picture.width)
        return picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
