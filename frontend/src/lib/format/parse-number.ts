const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?\d{1,3}([,_]\d{3})+$/;
const SUFFIXED = /^(.*\d\.?)\s?([kmb])$/i;
const SIZES: Record<string, string> = { k: "e3", m: "e6", b: "e9" };

/**
 * Parses a number as people type it: `50000`, `50,000`, `50_000`, `5e4`, `50k`, `1.5M`. NaN for anything
 * else, including `0x10` and blank text. Used wherever numbers are typed.
 */
export function parseNumber(text: string): number {
  const typed = text.trim();
  const suffixed = SUFFIXED.exec(typed);
  const [digits, exponent] = suffixed
    ? [suffixed[1] ?? "", SIZES[suffixed[2]?.toLowerCase() ?? ""] ?? ""]
    : [typed, ""];
  const plain = GROUPED.test(digits) ? digits.replace(/[,_]/g, "") : digits;
  if (!DECIMAL.test(plain)) return Number.NaN;
  // Parsed as one decimal literal, so that 1.1k is 1100 and not 1100.0000000000002.
  if (exponent === "") return Number(plain);
  return /e/i.test(plain) ? Number.NaN : Number(`${plain}${exponent}`);
}
