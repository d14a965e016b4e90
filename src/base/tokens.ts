/**
 * Tokens of a text, roughly and rather too many than too few: four characters of ASCII make one, and every other
 * character counts as one of its own.
 */
export function estimateTokens(text: string): number {
  let other = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) other++;
  return Math.ceil((text.length - other) / 4) + other;
}
