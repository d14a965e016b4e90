import type { EngineProblem } from '../runtime/engine';

/** A problem for a terminal: its code and its details, for people who script this host. */
export function problemText(problem: EngineProblem): string {
  const { code, ...details } = problem;
  return `${code}: ${JSON.stringify(details)}`;
}
