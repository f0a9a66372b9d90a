import clsx from "clsx";
import type { ReadingPicture } from "../prepare/reading";
import { Figure } from "./figure";
import { Row, Rows, Tick } from "./rows";

/**
 * The policy's reading of an observation as bars, Gaussians or quantiles, with a row for each action or
 * component.
 */
export function ReadingFigure({ picture }: { picture: ReadingPicture }) {
  return (
    <Figure title={picture.title} note={picture.note}>
      <Rows>{rows(picture)}</Rows>
    </Figure>
  );
}

function rows(picture: ReadingPicture) {
  switch (picture.kind) {
    case "bars":
      return picture.bars.map(({ label, text, share, chosen }, i) => (
        <Row key={i} label={label} text={text} chosen={chosen}>
          <span
            className={clsx(
              "absolute inset-y-0 left-0 w-full origin-left",
              chosen ? "bg-accent" : "bg-chart-raw",
            )}
            style={{ transform: `scaleX(${share})` }}
          />
        </Row>
      ));
    case "spreads":
      return picture.spreads.map(({ label, text, mean, from, to, low, high }, i) => (
        <Row key={i} label={label} text={text}>
          {from !== null && to !== null && (
            <span
              title={`${low} to ${high}`}
              className="absolute inset-y-0 bg-chart-raw opacity-50"
              style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
            />
          )}
          <Tick at={mean} strong />
        </Row>
      ));
    case "strips":
      return picture.strips.map(({ label, text, ticks, mean, chosen }, i) => (
        <Row key={i} label={label} text={text} chosen={chosen}>
          {ticks.map((at, j) => (
            <Tick key={j} at={at} />
          ))}
          <Tick at={mean} strong />
        </Row>
      ));
  }
}
