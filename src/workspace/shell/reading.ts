import {
  type Command,
  type CommandNode,
  forEachChild,
  type ParsedScript,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import { INVISIBLE } from '../care';
import { readingPrograms } from './programs';
import type { Use, UsedFile } from './uses';
import { type KnownWord, knownWord } from './words';

/** A file that a reading command names, to be looked up before the command may run unasked. */
export interface NamedFile {
  /** Where the command may be when it opens the file: folders relative to where it starts ('' is that itself). */
  readonly from: readonly string[];
  /** As written; for a glob the folder below which its matches lie. */
  readonly path: string;
  readonly use: Use;
  /** For a glob: how many levels below the folder its matches lie. null: the path is exact. */
  readonly globDepth: number | null;
  /** What the files that are read below a folder end with; null: anything. */
  readonly endings: readonly string[] | null;
}

/** What a command line is, judged by its syntax alone. */
export interface CommandReading {
  /** Only programs and options that are known to read. Whether the files are fit is for the caller to find out. */
  readonly reading: boolean;
  /** false: no judgement is possible, `detail` says why. Such a command asks in every mode. */
  readonly parsable: boolean;
  readonly detail: string;
  readonly files: readonly NamedFile[];
  /** Every word whose value is known, wherever it stands: also those of commands that don't only read. */
  readonly words: readonly string[];
  /** Those of them into which output goes: what is written there doesn't decide what the line does. */
  readonly outputs: readonly string[];
  /** The simple commands of the line, as written, with those in substitutions; for the person's rules. */
  readonly parts: readonly CommandPart[];
}

export interface CommandPart {
  /** Its known words joined by single spaces. */
  readonly text: string;
  /** No assignment, redirection into a file, substitution or expansion that could make another command of it. */
  readonly plain: boolean;
}

export const LONGEST_COMMAND = 32_768;
/** More parts than a person would read (A13). */
export const MOST_PARTS = 50;
const MOST_FOLDERS = 8;

/** Whether a command line only reads (A11 to A14), and what it names. Pure: nothing is looked up. */
export function readingCommand(text: string): CommandReading {
  const problem = formProblem(text);
  if (problem !== null) return unparsable(problem);
  const script = parse(text);
  const survey = surveyOf(script);
  if (survey.errors.length > 0) return unparsable(survey.errors[0] ?? 'a syntax error');
  if (survey.parts.length > MOST_PARTS) return unparsable(`it has more than ${MOST_PARTS} parts`);
  const walker = new ReadingWalker();
  const why =
    script.commands.length === 0
      ? 'there is nothing to run'
      : (walker.statements(script.commands) ?? restProblem(text, walker.ranges));
  return {
    reading: why === null,
    parsable: true,
    detail: why ?? '',
    files: why === null ? walker.files : [],
    words: survey.words,
    outputs: survey.outputs,
    parts: survey.parts,
  };
}

const unparsable = (detail: string): CommandReading => ({
  reading: false,
  parsable: false,
  detail,
  files: [],
  words: [],
  outputs: [],
  parts: [],
});

function formProblem(text: string): string | null {
  if (text.length > LONGEST_COMMAND) return `it is longer than ${LONGEST_COMMAND} characters`;
  if (/[^\P{Cc}\n\t]/u.test(text)) return 'it contains a control character';
  if (INVISIBLE.test(text)) return 'it contains invisible characters';
  return null;
}

interface Survey {
  readonly errors: string[];
  readonly words: string[];
  readonly outputs: string[];
  readonly parts: CommandPart[];
}

const OUTPUT: ReadonlySet<string> = new Set(['>', '>>', '>|', '&>', '&>>']);

/** Goes through the whole tree, substitutions included. */
function surveyOf(script: ParsedScript): Survey {
  const survey: Survey = { errors: [], words: [], outputs: [], parts: [] };
  const visit = (node: SyntaxNode): void => {
    if (survey.errors.length > 0 || survey.parts.length > MOST_PARTS) return;
    if (node.type === 'Script') survey.errors.push(...errorsOf(node));
    if (node.type === 'Word') survey.words.push(knownWord(node)?.value ?? node.text);
    if (node.type === 'Redirect' && node.target !== undefined && OUTPUT.has(node.operator))
      survey.outputs.push(knownWord(node.target)?.value ?? node.target.text);
    if (node.type === 'Command') survey.parts.push(partOf(node));
    forEachChild(node, visit);
  };
  visit(script);
  return survey;
}

const errorsOf = (script: ParsedScript): string[] =>
  (script.errors ?? []).map((error) => `${error.message} (at character ${error.pos + 1})`);

function partOf(command: Command): CommandPart {
  const words = [command.name, ...command.args].flatMap((word) => (word === undefined ? [] : [word]));
  const texts = words.map((word) =>
    word.type === 'Word' ? (knownWord(word)?.value ?? word.text) : word.text,
  );
  const plain =
    command.prefix.length === 0 &&
    command.name !== undefined &&
    knownWord(command.name) !== null &&
    command.redirects.every(isHarmlessRedirect) &&
    command.args.every((word) => word.type === 'Word' && hasNoCommand(word));
  return { text: texts.join(' '), plain };
}

/** A word that can't run anything: `$x` is fine there, a substitution or `${x@P}` isn't (A12). */
function hasNoCommand(node: SyntaxNode): boolean {
  let fine = ![
    'CommandExpansion',
    'ProcessSubstitution',
    'ParameterExpansion',
    'ArithmeticExpansion',
  ].includes(node.type);
  forEachChild(node, (child) => {
    fine &&= hasNoCommand(child);
  });
  return fine;
}

/** Throwing output away or joining the streams writes no file. */
function isHarmlessRedirect(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return false;
  if (redirect.descriptor?.type === 'FileDescriptorVariable') return false;
  const target = knownWord(redirect.target)?.value;
  if (redirect.operator === '>&') return target === '1' || target === '2';
  return target === '/dev/null';
}

/**
 * What lies between the words must be separators and comments: the parser forgives and drops what doesn't fit
 * (`cat (`), and what it has dropped nobody has judged.
 */
function restProblem(text: string, ranges: readonly Range[]): string | null {
  let rest = '';
  let at = 0;
  for (const { pos, end } of [...ranges].sort((a, b) => a.pos - b.pos)) {
    rest += `${text.slice(at, pos)}\ue000`;
    at = Math.max(at, end);
  }
  rest += text.slice(at);
  const isPlain = /^(?:[\s;!\ue000]|&&|\|[|&]?|\\\n|#[^\n]*(?=\n|$))*$/u.test(rest);
  return isPlain ? null : 'a part of it is not understood';
}

interface Range {
  readonly pos: number;
  readonly end: number;
}

class ReadingWalker {
  readonly files: NamedFile[] = [];
  /** What of the text has been judged. */
  readonly ranges: Range[] = [];
  /** Where the line may be at this point. */
  #folders: readonly string[] = [''];
  /** Everywhere it may have been: a `cd` may have failed, or have run in a subshell. */
  #everywhere: readonly string[] = [''];

  /** Why these don't only read; null: they do. */
  statements(statements: readonly Statement[]): string | null {
    for (const statement of statements) {
      if (statement.background === true) return 'it runs something in the background';
      const { command } = statement;
      const nodes = command.type === 'AndOr' ? command.commands : [command];
      const operators = command.type === 'AndOr' ? command.operators : [];
      for (const [index, node] of nodes.entries()) {
        const isSure = operators[index] === '&&';
        const why = node.type === 'Pipeline' ? this.#all(node.commands) : this.#node(node, isSure);
        if (why !== null) return why;
        if (!isSure) this.#folders = this.#everywhere;
      }
    }
    return null;
  }

  #all(nodes: readonly CommandNode[]): string | null {
    for (const node of nodes) {
      const why = this.#node(node, false);
      if (why !== null) return why;
    }
    return null;
  }

  /** @param isSure whether what follows runs only if this has succeeded */
  #node(node: CommandNode, isSure: boolean): string | null {
    if (node.type !== 'Command') return 'it is more than a list of simple commands';
    if (node.prefix.length > 0) return 'it sets variables or redirects before a command';
    if (!node.redirects.every(isHarmlessRedirect)) return 'it redirects to or from a file';
    const name = node.name === undefined ? null : knownWord(node.name);
    this.ranges.push(...node.suffix, ...(node.name === undefined ? [] : [node.name]));
    if (name === null || name.glob !== null) return 'the name of a program is not plain';
    const words: KnownWord[] = [];
    for (const arg of node.args) {
      const known = arg.type === 'Word' ? knownWord(arg) : null;
      if (known === null) return `"${arg.text}" is only known when it runs`;
      words.push(known);
    }
    if (name.value === 'cd') return this.#cd(words, isSure);
    const uses = readingPrograms.get(name.value)?.(words);
    if (uses === undefined) return `"${name.value}" is not a program that is known to only read`;
    if (uses === null) return `"${name.value}" with these options is not known to only read`;
    for (const each of uses) this.#use(each);
    return null;
  }

  #use({ word, use, endings }: UsedFile): void {
    const from = this.#folders;
    if (word.glob === null) {
      this.files.push({ from, path: word.value, use, globDepth: null, endings });
      return;
    }
    const { base, depth, ending } = word.glob;
    // A matching folder is searched whole, whatever its name ends with.
    const own = use === 'tree' || use === 'listed' ? endings : ending === '' ? null : [ending];
    this.files.push({ from, path: base === '' ? '.' : base, use, globDepth: depth, endings: own });
  }

  #cd(words: readonly KnownWord[], isSure: boolean): string | null {
    const [target] = words;
    if (words.length !== 1 || target === undefined || target.glob !== null) return 'its "cd" is not plain';
    const path = target.value;
    // `..` after a link means one thing to the shell and another to the programs it starts.
    if (path === '' || path.startsWith('-') || path.split('/').includes('..'))
      return 'its "cd" goes up or back';
    this.files.push({ from: this.#folders, path, use: 'meta', globDepth: null, endings: null });
    const moved = this.#folders.map((folder) =>
      path.startsWith('/') || folder === '' ? path : `${folder}/${path}`,
    );
    this.#everywhere = [...new Set([...this.#everywhere, ...moved])];
    this.#folders = isSure ? moved : this.#everywhere;
    return this.#everywhere.length > MOST_FOLDERS ? 'it changes folders too often' : null;
  }
}
