import { never } from '../base/never';
import { careOfNames } from './care';
import { compileGlob } from './globs';
import type {
  AskReason,
  CommandInspection,
  PathCare,
  PermissionMode,
  PermissionRule,
  PermissionVerdict,
  PlacedPath,
  Subject,
} from './port';
import { type CommandReading, readingCommand } from './shell/reading';

/** As in tools/defineTool, which lies above this. */
export type RiskClass = 'read' | 'write' | 'execute' | 'interact';

export interface PermissionQuestion {
  readonly mode: PermissionMode;
  readonly rules: readonly PermissionRule[];
  readonly tool: string;
  readonly risk: RiskClass;
  readonly subjects: readonly Subject[];
  /** The gateway's `care`: names and hard links. */
  readonly care: (path: PlacedPath) => PathCare;
}

/**
 * Whether a call may run, must ask or is refused (design section 5). In this order:
 * 1. a deny rule that matches refuses, however specific an allow rule is;
 * 2. protected and secret paths ask in every mode, and no rule allows them for good; reading a secret file, and a
 *    schema that the editor would fetch (A20), may be allowed by a rule with a pattern, which names the file;
 * 3. a command that can't be parsed asks in every mode;
 * 4. of the other matching rules the most specific decides, `ask` before `allow` among equals;
 * 5. class and mode.
 */
export function judge(question: PermissionQuestion): PermissionVerdict {
  const readings = new Map<string, CommandReading>();
  const reading = (command: string): CommandReading => {
    const known = readings.get(command) ?? readingCommand(command);
    readings.set(command, known);
    return known;
  };
  const denied = denyingRule(question, reading);
  if (denied !== null) return { type: 'deny', rule: denied };
  const careful = carefulReason(question, reading);
  if (careful !== null) return { type: 'ask', why: careful };
  const rule = decidingRule(question, reading);
  if (rule !== null) {
    return rule.effect === 'allow'
      ? { type: 'allow', by: 'rule' }
      : { type: 'ask', why: { code: 'rule', rule } };
  }
  return byMode(question);
}

type Reader = (command: string) => CommandReading;

function denyingRule(question: PermissionQuestion, reading: Reader): PermissionRule | null {
  const denies = question.rules.filter((rule) => rule.effect === 'deny' && isForTool(rule, question.tool));
  for (const rule of denies) {
    if (rule.pattern === null) return rule;
    if (question.subjects.some((subject) => touches(rule, subject, reading))) return rule;
  }
  return null;
}

function carefulReason(question: PermissionQuestion, reading: Reader): AskReason | null {
  for (const subject of question.subjects) {
    const reason = carefulSubject(subject, question, reading);
    if (reason !== null) return reason;
  }
  return null;
}

function carefulSubject(subject: Subject, question: PermissionQuestion, reading: Reader): AskReason | null {
  switch (subject.type) {
    case 'read': {
      if (question.care(subject.path) !== 'secret') return null;
      const named = decidingRule({ ...question, subjects: [subject] }, reading);
      if (named?.effect === 'allow' && named.pattern !== null) return null;
      return { code: 'secret_path', path: subject.path.shown };
    }
    case 'write': {
      const care = question.care(subject.path);
      if (care === 'plain') return schemaReason(subject, question, reading);
      return { code: care === 'secret' ? 'secret_path' : 'protected_path', path: subject.path.shown };
    }
    case 'command':
      return carefulCommand(subject.command, subject.inspection, reading);
    default:
      return never(subject);
  }
}

/** An address in a file that the editor opens carries what is written into it to whoever owns it (A20). */
function schemaReason(
  subject: Extract<Subject, { type: 'write' }>,
  question: PermissionQuestion,
  reading: Reader,
): AskReason | null {
  if (subject.remoteSchema === undefined) return null;
  const named = decidingRule({ ...question, subjects: [subject] }, reading);
  if (named?.effect === 'allow' && named.pattern !== null) return null;
  return { code: 'remote_schema', path: subject.path.shown, url: subject.remoteSchema };
}

function carefulCommand(
  command: string,
  inspection: CommandInspection | undefined,
  reading: Reader,
): AskReason | null {
  const read = reading(command);
  if (!read.parsable) return { code: 'unparsable_command', detail: read.detail };
  const unparsable = inspection?.unparsable ?? null;
  if (unparsable !== null) return { code: 'unparsable_command', detail: unparsable };
  const [touch] = inspection?.touches ?? (read.reading ? [] : touchesByName(read));
  if (touch === undefined) return null;
  return { code: touch.care === 'secret' ? 'secret_path' : 'protected_path', path: touch.path };
}

/** Without an inspection the words alone tell. */
function touchesByName(read: CommandReading): CommandInspection['touches'] {
  return read.words.flatMap((path) => {
    const care = careOfNames(path);
    return care === 'plain' ? [] : [{ path, care }];
  });
}

/** The most specific of the matching allow and ask rules; all subjects must match an allow rule for it to count. */
function decidingRule(question: PermissionQuestion, reading: Reader): PermissionRule | null {
  let best: PermissionRule | null = null;
  for (const rule of question.rules) {
    if (rule.effect === 'deny' || !isForTool(rule, question.tool)) continue;
    const matches =
      rule.pattern === null ||
      (rule.effect === 'ask'
        ? question.subjects.some((subject) => touches(rule, subject, reading))
        : question.subjects.length > 0 &&
          question.subjects.every((subject) => covers(rule, subject, reading)));
    if (matches && (best === null || isStronger(rule, best))) best = rule;
  }
  return best;
}

function isStronger(rule: PermissionRule, than: PermissionRule): boolean {
  const difference = specificity(rule) - specificity(than);
  return difference > 0 || (difference === 0 && rule.effect === 'ask' && than.effect === 'allow');
}

/** A named tool counts before any pattern, a pattern by how much of it is literal. */
function specificity(rule: PermissionRule): number {
  const tool = rule.tool === '*' ? 0 : 100_000;
  return tool + (rule.pattern === null ? 0 : 1 + rule.pattern.replace(/[*?[\]{}]/gu, '').length);
}

const isForTool = (rule: PermissionRule, tool: string): boolean => rule.tool === '*' || rule.tool === tool;

/** For deny and ask: whether any part of the subject matches. Paths are compared without case. */
function touches(rule: PermissionRule, subject: Subject, reading: Reader): boolean {
  const pattern = rule.pattern ?? '*';
  if (subject.type !== 'command') return matchesPath(pattern, subject.path, true);
  const read = reading(subject.command);
  const texts = [subject.command, ...read.parts.flatMap((part) => [part.text, withoutFolder(part.text)])];
  return texts.some((text) => matchesCommand(pattern, text));
}

/** For allow: whether the whole subject matches. A command only if each of its parts does and can do nothing else. */
function covers(rule: PermissionRule, subject: Subject, reading: Reader): boolean {
  const pattern = rule.pattern ?? '*';
  if (subject.type !== 'command') return matchesPath(pattern, subject.path, false);
  const read = reading(subject.command);
  if (!read.parsable || read.parts.length === 0) return false;
  return read.parts.every((part) => part.plain && matchesCommand(pattern, part.text));
}

function matchesPath(pattern: string, path: PlacedPath, ignoreCase: boolean): boolean {
  const glob = compileGlob(pattern, { ignoreCase });
  // A pattern that can't be used must not open anything, and must not let a deny rule fall silent.
  return glob.ok ? glob.value(path.shown) : ignoreCase;
}

/** A prefix with a trailing `*`, else the whole command. `npm test*` covers `npm test` and `npm test -- x`. */
function matchesCommand(pattern: string, text: string): boolean {
  const wanted = squeezed(pattern);
  const given = squeezed(text);
  if (!wanted.endsWith('*')) return given === wanted;
  const prefix = wanted.slice(0, -1);
  return given.startsWith(prefix) || `${given} ` === prefix;
}

const squeezed = (text: string): string => text.trim().replace(/\s+/gu, ' ');

/** `/bin/rm x` as `rm x`: a deny rule on a program holds wherever it lies. */
function withoutFolder(text: string): string {
  const end = text.indexOf(' ');
  const name = end < 0 ? text : text.slice(0, end);
  return name.slice(name.lastIndexOf('/') + 1) + (end < 0 ? '' : text.slice(end));
}

function byMode({ mode, risk, subjects }: PermissionQuestion): PermissionVerdict {
  switch (risk) {
    case 'read':
    case 'interact':
      return { type: 'allow', by: 'class' };
    case 'write':
      return mode === 'ask' ? { type: 'ask', why: { code: 'mode' } } : { type: 'allow', by: 'mode' };
    case 'execute':
      if (onlyReads(subjects)) return { type: 'allow', by: 'reading_command' };
      return mode === 'auto' ? { type: 'allow', by: 'mode' } : { type: 'ask', why: { code: 'mode' } };
    default:
      return never(risk);
  }
}

const onlyReads = (subjects: readonly Subject[]): boolean =>
  subjects.length > 0 &&
  subjects.every((subject) => subject.type === 'command' && subject.inspection?.reading === true);
