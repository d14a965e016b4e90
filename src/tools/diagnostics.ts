import * as z from 'zod';
import text from '../../prompts/tools/diagnostics.md';
import type { FoundProblem, PlacedPath, Severity } from '../workspace/port';
import { defineTool, okText } from './defineTool';
import { describe } from './describe';
import { placeFolder } from './placing';
import { endedBy, plural } from './wording';

const MOST_SHOWN = 100;
const LONGEST_MESSAGE = 500;

/** The worst first. */
const SEVERITIES = ['error', 'warning', 'info', 'hint'] as const satisfies readonly Severity[];

const schema = z.strictObject({
  path: z.string().min(1).optional().describe('A file or a folder; all files by default.'),
  severity: z.enum(SEVERITIES).optional().describe('The least severe to show; info by default.'),
});

export const diagnostics = defineTool<z.output<typeof schema>, PlacedPath | null>({
  name: 'diagnostics',
  risk: 'read',
  description: describe(text, { problems: MOST_SHOWN, chars: LONGEST_MESSAGE }),
  schema,
  volatile: true,
  prepare: async ({ path }, { workspace }) => {
    const placed = await placeFolder(workspace, path);
    if (!placed.ok) return endedBy(placed.error);
    const under = placed.value;
    return {
      type: 'ready',
      subjects: under === null ? [] : [{ type: 'read', path: under }],
      preview: under === null ? null : { type: 'paths', paths: [under.shown] },
      plan: under,
    };
  },
  execute: async ({ severity }, { workspace }, under) => {
    const found = await workspace.problems(under);
    if (found === null) {
      return okText(
        'There is no editor here, so nobody has looked for problems. Run the checks of the project with a command.',
      );
    }
    const least = SEVERITIES.indexOf(severity ?? 'info');
    const problems = found.filter((problem) => SEVERITIES.indexOf(problem.severity) <= least).sort(byWeight);
    const where = under === null || under.shown === '.' ? '' : ` in ${under.shown}`;
    const left = found.length - problems.length;
    const less =
      left === 0 ? '' : ` ${plural(left, 'less severe one is', 'less severe ones are')} not shown.`;
    if (problems.length === 0) {
      return okText(
        `The editor knows of no problems${where}.${less} It looks mostly at files that are open in it: the checks of the project tell more.`,
      );
    }
    return okText(`${countsText(problems)}${where}.${less}\n${listed(problems)}`);
  },
});

/** The worst first, then by place. */
function byWeight(a: FoundProblem, b: FoundProblem): number {
  const weight = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
  if (weight !== 0) return weight;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

function countsText(problems: readonly FoundProblem[]): string {
  const counts = SEVERITIES.flatMap((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    return count === 0 ? [] : [severity === 'info' ? `${count} info` : plural(count, severity)];
  });
  return counts.join(', ');
}

function listed(problems: readonly FoundProblem[]): string {
  const lines = problems.slice(0, MOST_SHOWN).map((problem) => {
    const message = problem.message.trim().replace(/\s*\n\s*/gu, ' / ');
    const cut =
      message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…`.toWellFormed() : message;
    const source = problem.source === '' ? '' : ` (${problem.source})`;
    return `${problem.path}:${problem.line}:${problem.column} ${problem.severity}: ${cut}${source}`;
  });
  const rest = problems.length - lines.length;
  if (rest > 0) lines.push(`[${rest} more; name a path or a severity]`);
  return lines.join('\n');
}
