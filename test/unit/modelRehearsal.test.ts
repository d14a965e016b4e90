import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ModelEvent, ModelMessage, ModelTool } from '../../src/model/port';
import { RehearsalModel } from '../../src/model/rehearsal';
import { SAMPLE_MARKER, SAMPLE_TASK, sampleFiles } from '../../src/model/rehearsal/sample';
import { fact, mark, noteText } from '../../src/styles/room/texts';
import { roomTools } from '../../src/styles/room/tools';
import { workspaceTools } from '../../src/tools';
import { ManualClock } from '../support/scriptedModel/manualClock';

const NEVER = new AbortController().signal;
const known = new Map([...workspaceTools, ...roomTools].map((tool) => [tool.name, tool]));
const offered = (...without: string[]): ModelTool[] =>
  [...known.values()].filter(({ name }) => !without.includes(name));
const TOOLS = offered('team_add', 'team_stop', 'ask_user');
const LEAD_TOOLS = offered('report');
const SIZE = `[Note:]\n${noteText({ type: 'size', size: { min: 1, max: 4 } })}`;

interface Agent {
  readonly name: string;
  readonly transcript: ModelMessage[];
  /** Marked messages that wait for it. */
  readonly mail: string[];
}

/** The least room that can play it: agents take turns, tools work on a real folder, reports and messages are marked. */
class Room {
  readonly folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  readonly agents: Agent[] = [];
  readonly done: string[] = [];
  readonly denied = new Set<string>();

  constructor() {
    for (const { path, text } of sampleFiles) this.write(path, text);
    this.add('lead', `${SIZE}\n\n${SAMPLE_TASK}`);
  }

  add(name: string, brief: string): void {
    const transcript: ModelMessage[] = [{ role: 'system', text: `You are ${name}, an agent of a team.` }];
    this.agents.push({ name, transcript, mail: [brief] });
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** Runs turns, one after another, until nobody has mail; answers the lead's last words. */
  async play(model = new RehearsalModel(new ManualClock(), 0)): Promise<string> {
    let last = '';
    for (let turns = 0; turns < 30; turns++) {
      const agent = this.agents.find(({ mail }) => mail.length > 0);
      if (agent === undefined) return last;
      const words = await this.#turn(agent, model);
      if (agent.name === 'lead') last = words;
      else this.#post('report', agent.name, ['lead'], words);
    }
    throw new Error('the rehearsal does not end');
  }

  async #turn(agent: Agent, model: RehearsalModel): Promise<string> {
    for (let step = 0; step < 20; step++) {
      if (agent.mail.length > 0) {
        agent.transcript.push({ role: 'user', text: agent.mail.splice(0).join('\n\n') });
      }
      const tools = agent.name === 'lead' ? LEAD_TOOLS : TOOLS;
      const events: ModelEvent[] = [];
      const request = { messages: agent.transcript, tools };
      for await (const event of model.attempt(request, NEVER, () => undefined)) events.push(event);
      const end = events.at(-1);
      if (end?.type !== 'end' || end.reason === 'error' || end.reason === 'aborted')
        throw new Error('no answer');
      agent.transcript.push({ role: 'assistant', text: end.text, calls: end.calls });
      if (end.calls.length === 0) return end.text;
      for (const { wireId, tool, args } of end.calls) {
        this.done.push(`${agent.name} ${tool}`);
        const opened = known.get(tool)?.open(args);
        assert.ok(opened?.ok, `${tool} ${args}: ${opened?.ok === false ? opened.error : 'no such tool'}`);
        const text = this.#call(agent.name, tool, JSON.parse(args) as Record<string, never>);
        agent.transcript.push({ role: 'tool', wireId, tool, text });
      }
    }
    throw new Error(`${agent.name} does not end its turn`);
  }

  #post(kind: 'message' | 'report', from: string, to: readonly string[], text: string): void {
    const mail = `${mark[kind](from, to)}\n${text}`;
    for (const agent of this.agents) if (to.includes(agent.name)) agent.mail.push(mail);
  }

  #call(agent: string, name: string, args: Record<string, never>): string {
    const {
      path = '',
      content = '',
      old = '',
      command = '',
      pattern = '',
      task = '',
      message = '',
      to = [],
    } = args as {
      [name: string]: string;
    } & { to?: string[] };
    if (this.denied.has(command === '' ? name : command))
      return 'The person denied this call. Nothing was done.';
    switch (name) {
      case 'team_add':
        this.add(String(args['name']), task);
        return fact({ type: 'added', name: String(args['name']), waiting: false, size: this.agents.length });
      case 'team_send':
        this.#post('message', agent, to, message);
        return fact({ type: 'sent', to });
      case 'read':
        return existsSync(join(this.folder, path)) ? this.read(path) : 'There is no such file.';
      case 'glob':
        return readdirSync(join(this.folder, dirname(pattern))).join('\n');
      case 'write':
        this.write(path, content);
        return 'Written.';
      case 'edit':
        if (!this.read(path).includes(old)) return 'It matches nothing.';
        this.write(path, this.read(path).replace(old, String(args['new'])));
        return 'Done.';
      case 'bash': {
        const ran = spawnSync('sh', ['-c', command], { cwd: this.folder, encoding: 'utf8', env: CLEAN });
        return `${ran.stdout}${ran.stderr}`;
      }
      default:
        throw new Error(`unexpected tool ${name}`);
    }
  }
}

/** A test runner inside a test runner would report to the outer one. */
const CLEAN = { PATH: process.env['PATH'] };

describe('the rehearsal', () => {
  let room: Room;
  beforeEach(() => {
    room = new Room();
  });
  afterEach(() => rmSync(room.folder, { recursive: true, force: true }));

  it('plays the whole task: two members, a message between them, three files, tests that pass', async () => {
    const before = room.read('README.md');
    const answer = await room.play();
    assert.match(answer, /^\(Rehearsal\)/);
    assert.match(answer, /all 4 tests pass/);
    assert.deepEqual(
      room.agents.map(({ name }) => name),
      ['lead', 'exporter', 'tester'],
    );
    assert.ok(room.done.includes('exporter team_send'));
    assert.ok(room.done.includes('exporter bash') && room.done.includes('tester bash'));
    assert.ok(!room.done.some((call) => /^lead (write|edit)$/.test(call)), 'a manager does not work');
    assert.notEqual(room.read('README.md'), before);
    const script =
      "import('./src/csv.js').then(async (m) => console.log(m.toCsv((await import('./src/orders.js')).orders)))";
    const csv = execFileSync(process.execPath, ['-e', script], {
      cwd: room.folder,
      encoding: 'utf8',
      env: CLEAN,
    });
    assert.equal(
      csv,
      'item,quantity,price,sum\n"Notebook, lined",3,4.50,13.50\n"Pencil ""HB""",12,0.80,9.60\nEraser,2,1.20,2.40\n',
    );
  });

  it('plays again in a folder where it has played', async () => {
    await room.play();
    const again = new Room();
    try {
      for (const path of ['src/csv.js', 'test/csv.test.js', 'README.md']) again.write(path, room.read(path));
      assert.match(await again.play(), /all 4 tests pass/);
      const read = again.done.filter((call) => call === 'exporter read').length;
      assert.equal(read, 2, 'a file that is there is read before it is written');
    } finally {
      rmSync(again.folder, { recursive: true, force: true });
    }
  });

  it('says so when the person denies the tests', async () => {
    room.denied.add('node --test');
    const answer = await room.play();
    assert.doesNotMatch(answer, /tests pass/);
    const tester = room.agents.find(({ name }) => name === 'tester');
    assert.match(JSON.stringify(tester?.transcript), /the tests did not run \(The person denied/);
  });

  it('says so when a file could not be written', async () => {
    room.denied.add('write');
    const answer = await room.play();
    assert.match(
      answer,
      /The export is not there\. exporter reports: I could not write src\/csv\.js\. The person denied/,
    );
  });

  it('says so when a member could not be added', async () => {
    room.denied.add('team_add');
    assert.match(await room.play(), /exporter could not be added.*The person denied/);
  });

  it('a note or a word of the host to the lead is no new task', async () => {
    await room.play();
    room.agents[0]?.mail.push(`${SIZE}\n\n[From Teamroom:]\nYour turn was interrupted and goes on.`);
    assert.match(await room.play(), /can now be exported/);
  });

  it('takes up no other task, and says why', async () => {
    await room.play();
    const lead = room.agents[0];
    lead?.mail.push('Now rewrite it in Rust.');
    assert.match(await room.play(), /only know the one prepared task/);
  });

  it('says at once that it leaves another task than the prepared one aside', async () => {
    const lead = room.agents[0];
    assert.ok(lead);
    lead.mail.splice(0, 1, `${SIZE}\n\nRewrite it in Rust.`);
    await room.play();
    const first = lead.transcript.find(({ role }) => role === 'assistant');
    assert.match(first?.text ?? '', /^\(Rehearsal\) Your task can’t be worked on without a model/);
  });

  it('without team tools it says what is missing', async () => {
    const events: ModelEvent[] = [];
    const messages: ModelMessage[] = [
      { role: 'system', text: 'You are lead, alone.' },
      { role: 'user', text: 'Go' },
    ];
    const model = new RehearsalModel(new ManualClock(), 0);
    for await (const event of model.attempt({ messages, tools: TOOLS }, NEVER, () => undefined))
      events.push(event);
    const end = events.at(-1);
    assert.match(end?.type === 'end' ? end.text : '', /no team can be made/);
  });

  it('streams in small pieces at its pace, and stops at once when aborted', async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const messages: ModelMessage[] = [
      { role: 'system', text: 'You are lead, the lead.' },
      { role: 'user', text: 'Go' },
    ];
    const request = { messages, tools: LEAD_TOOLS };
    const stream = new RehearsalModel(clock, 40).attempt(request, abort.signal, () => undefined);
    const first = stream.next();
    // Its script is loaded first.
    while (clock.pending.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(clock.pending, [40]);
    clock.advance(40);
    const piece = (await first).value;
    assert.equal(piece?.type, 'text');
    const second = stream.next();
    abort.abort();
    const end = (await second).value;
    assert.equal(end?.type === 'end' && end.reason, 'aborted');
    assert.equal(end?.type === 'end' && end.text, piece?.type === 'text' && piece.text);
    assert.deepEqual(clock.pending, []);
  });

  it('the sample is marked as made by us, and its own tests pass', () => {
    assert.ok(sampleFiles.some(({ path }) => path === SAMPLE_MARKER));
    const ran = spawnSync(process.execPath, ['--test'], { cwd: room.folder, encoding: 'utf8', env: CLEAN });
    assert.match(ran.stdout, /pass 2$/m);
  });
});
