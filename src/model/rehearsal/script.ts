import { never } from '../../base/never';
import type { ModelRequest } from '../port';
import { CSV_JS, CSV_TEST_JS, README_NEW, README_OLD } from './pieces';
import { SAMPLE_TASK } from './sample';
import { firstLine, RequestView } from './view';

/** One answer of the rehearsal. */
export interface Part {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

export interface PlannedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string | readonly string[]>>;
}

const EXPORTER = 'exporter';
const TESTER = 'tester';
const ALL_DONE = 'All done:';

const OTHER_TASK =
  'Your task can’t be worked on without a model: I play the one prepared task, a CSV export of the report.';

const TEST_COMMAND = 'node --test';
const LOOK_COMMAND = 'cat src/csv.js';

/** What the agent that asks answers next, decided from its transcript alone. */
export const rehearse = (request: ModelRequest): Part => answer(new RequestView(request));

function answer(view: RequestView): Part {
  switch (view.agent) {
    case 'lead':
      return lead(view);
    case EXPORTER:
      return exporter(view);
    case TESTER:
      return tester(view);
    case undefined:
      return say('This is the rehearsal, and it does not know who it should play here.');
    default:
      return say(`This is the rehearsal. It has no part for ${view.agent}.`);
  }
}

const say = (text: string): Part => ({ text, calls: [] });
const act = (text: string, ...calls: PlannedCall[]): Part => ({ text, calls });
const read = (path: string): PlannedCall => ({ tool: 'read', args: { path } });

function lead(view: RequestView): Part {
  if (!view.offers('team_add')) {
    return say(
      'This is the rehearsal. It plays a team, and here no team can be made: set its size to 3 or more.',
    );
  }
  if (view.last('read', { path: 'src/report.js' }) === undefined) {
    const isKnown = view.personWords.some((words) => words.includes(SAMPLE_TASK));
    const other = isKnown ? '' : `${OTHER_TASK} `;
    return act(`(Rehearsal) ${other}I look at the report first.`, read('README.md'), read('src/report.js'));
  }
  if (view.last('team_add', { name: TESTER }) === undefined) return addMembers();
  const asked = view.personWords.length;
  if (view.lastIsPersons && asked > 1) {
    return say('(Rehearsal) I only know the one prepared task. Add a model to work with me on your own.');
  }
  return leadAfterReports(view);
}

function addMembers(): Part {
  const goal = 'The order report can be exported as CSV.';
  return act(
    'Two parts: the export itself, and its test with the README. I add a member for each.',
    {
      tool: 'team_add',
      args: {
        name: EXPORTER,
        role: 'CSV export',
        goal,
        task: `Write src/csv.js with toCsv(orders): a header, one line per order, fields quoted where needed. Amounts as in src/report.js. Tell ${TESTER} as soon as it is there.`,
      },
    },
    {
      tool: 'team_add',
      args: {
        name: TESTER,
        role: 'Test and README',
        goal,
        task: `Name toCsv in the README. When ${EXPORTER} has told you that src/csv.js is there, test it in test/csv.test.js and run all tests.`,
      },
    },
  );
}

function leadAfterReports(view: RequestView): Part {
  for (const name of [EXPORTER, TESTER]) {
    const result = view.last('team_add', { name })?.result ?? '';
    if (!result.includes(`${name} was added`)) {
      return say(`(Rehearsal) ${name} could not be added, and I need both members. ${firstLine(result)}`);
    }
  }
  const reports = [EXPORTER, TESTER].map((name) => view.from('report', name).at(-1));
  const [exported, tested] = reports.map((report) => (report?.startsWith(ALL_DONE) ? report : undefined));
  if (exported !== undefined && tested !== undefined) {
    if (view.last('bash', { command: 'ls src test' }) === undefined) {
      return act('Both are done. I look at what is there.', {
        tool: 'bash',
        args: { command: 'ls src test' },
      });
    }
    return say(
      `(Rehearsal) The report can now be exported as CSV.\n\n- ${EXPORTER}: ${words(exported)}\n- ${TESTER}: ${words(tested)}`,
    );
  }
  if (reports.every((report) => report === undefined)) {
    return say(
      `${EXPORTER} writes the export, ${TESTER} its test and the README. I answer when both have reported.`,
    );
  }
  const stuck = reports[0];
  if (stuck !== undefined && exported === undefined) {
    return say(`(Rehearsal) The export is not there. ${EXPORTER} reports: ${stuck}`);
  }
  const waiting = exported === undefined ? EXPORTER : TESTER;
  return say(`Noted. I wait for ${waiting}.`);
}

const words = (report: string): string => report.slice(ALL_DONE.length).trim();

function exporter(view: RequestView): Part {
  const path = 'src/csv.js';
  if (view.last('read', { path: 'src/report.js' }) === undefined) {
    return act('I see how the report words its amounts.', read('src/report.js'), {
      tool: 'glob',
      args: { pattern: 'src/*.js' },
    });
  }
  const there = view.last('glob')?.result.includes('csv.js') === true;
  if (there && view.last('read', { path }) === undefined) {
    return act('It is there from an earlier rehearsal.', read(path));
  }
  if (view.last('write', { path }) === undefined) {
    return act('Now the export.', { tool: 'write', args: { path, content: CSV_JS } });
  }
  const look = view.last('bash', { command: LOOK_COMMAND });
  if (look === undefined) {
    return act('I check what was written.', { tool: 'bash', args: { command: LOOK_COMMAND } });
  }
  if (!look.result.includes('toCsv')) {
    const why = [view.last('write', { path })?.result ?? '', look.result].map(firstLine).join(' ');
    return say(`I could not write ${path}. ${why}`);
  }
  if (view.last('team_send') === undefined) {
    return act('', {
      tool: 'team_send',
      args: {
        to: [TESTER],
        message: `${path} is there: toCsv(orders) gives the header and a line per order.`,
      },
    });
  }
  return say(`${ALL_DONE} toCsv(orders) is in ${path}; ${TESTER} knows.`);
}

function tester(view: RequestView): Part {
  if (view.last('read', { path: 'README.md' }) === undefined) {
    return act('I read the README and the tests that are there.', read('README.md'), {
      tool: 'glob',
      args: { pattern: 'test/*.js' },
    });
  }
  if (view.last('edit') === undefined) {
    return act('The README first.', {
      tool: 'edit',
      args: { path: 'README.md', old: README_OLD, new: README_NEW },
    });
  }
  if (view.from('message', EXPORTER).length === 0) {
    return say(`The README names toCsv. I test as soon as ${EXPORTER} tells me that it is there.`);
  }
  return testerTests(view);
}

function testerTests(view: RequestView): Part {
  const path = 'test/csv.test.js';
  const there = view.last('glob')?.result.includes('csv.test.js') === true;
  if (there && view.last('read', { path }) === undefined) {
    return act('There is a test from an earlier rehearsal.', read(path));
  }
  if (view.last('write', { path }) === undefined) {
    return act('Now its test.', { tool: 'write', args: { path, content: CSV_TEST_JS } });
  }
  const ran = view.last('bash', { command: TEST_COMMAND });
  if (ran === undefined) {
    return act('I run all tests.', { tool: 'bash', args: { command: TEST_COMMAND } });
  }
  return say(`${ALL_DONE} the README names it, ${path} tests it; ${verdict(ran.result)}`);
}

/** What the test run came to, in the words of its output; a refused run is said to be one. */
function verdict(result: string): string {
  const outcome = testOutcome(result);
  switch (outcome.type) {
    case 'passed':
      return `all ${outcome.count} tests pass.`;
    case 'failed':
      return `${outcome.count} tests fail.`;
    case 'not_run':
      return `the tests did not run (${firstLine(result)}).`;
    default:
      return never(outcome);
  }
}

type Outcome = { type: 'passed'; count: string } | { type: 'failed'; count: string } | { type: 'not_run' };

/** Node's test runner ends with "# pass 4" or "ℹ pass 4", depending on its version and where it writes. */
function testOutcome(result: string): Outcome {
  const passed = /^\S+ pass (\d+)$/m.exec(result)?.[1];
  const failed = /^\S+ fail (\d+)$/m.exec(result)?.[1];
  if (passed === undefined || failed === undefined) return { type: 'not_run' };
  return failed === '0' ? { type: 'passed', count: passed } : { type: 'failed', count: failed };
}
