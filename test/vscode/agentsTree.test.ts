import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { localId, type OutcomeId, type SessionId } from '../../src/shared/ids';
import { openCallsOf } from '../../src/shared/lookup';
import { openRunOf } from '../../src/shared/project/projection';
import { noSurroundings } from '../../src/shared/project/who';
import { inline } from '../../src/shared/text';
import type { AgentsNode } from '../../src/vscode/views/agentsNodes';
import { AgentsTree, placeIn } from '../../src/vscode/views/agentsTree';
import { ManualClock } from '../support/scriptedModel/manualClock';
import { csvStory, type Story } from '../support/webview/story';

interface Drawn {
  readonly row: string;
  readonly context: string;
  readonly icon: string;
  readonly aria: string;
}

describe('the Agents view, row by row', () => {
  const session = 's-CSVexport' as SessionId;
  let story: Story;
  let clock: ManualClock;
  let tree: AgentsTree;
  let redrawn: (readonly AgentsNode[] | undefined)[];
  let open: SessionId[];

  beforeEach(() => {
    story = csvStory();
    clock = new ManualClock(story.now);
    redrawn = [];
    open = [session];
    tree = new AgentsTree({
      sessions: {
        open: () => open.map((id) => ({ id, state: story.state })),
        state: (id) => (id === session ? story.state : null),
      },
      around: () => noSurroundings,
      root: (path) => placeIn([{ name: 'app', path: '/work/app' }], path),
      redraw: (nodes) => redrawn.push(nodes),
      clock,
    });
  });
  afterEach(() => tree.dispose());

  const icon = (item: vscode.TreeItem) => {
    assert.ok(item.iconPath instanceof vscode.ThemeIcon);
    return [item.iconPath.id, item.iconPath.color?.id].filter((part) => part !== undefined).join(' ');
  };
  const draw = (node?: AgentsNode, level = 0): Drawn[] =>
    tree.getChildren(node).flatMap((child) => {
      const item = tree.getTreeItem(child);
      const row = `${'  '.repeat(level)}${String(item.label)} | ${String(item.description)}`;
      const aria = item.accessibilityInformation?.label ?? '';
      return [{ row, context: item.contextValue ?? '', icon: icon(item), aria }, ...draw(child, level + 1)];
    });
  const find = (name: string): AgentsNode => {
    const walk = (node?: AgentsNode): AgentsNode | undefined => {
      for (const child of tree.getChildren(node)) {
        const found = tree.getTreeItem(child).label === name ? child : walk(child);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    const found = walk();
    assert.ok(found, name);
    return found;
  };

  it('shows agents in tree order with what they do, and their files under them', () => {
    assert.deepEqual(
      draw().map(({ row }) => row.replaceAll(/\d\d:\d\d/g, 'TIME')),
      [
        'CSV export | 1 working, 1 waiting for you · $0.38',
        '  lead | waits for ui, parser · 9.9k · $0.07',
        '    parser | asks: npm test -- --grep csv · 4:00 · 8.8k · $0.06',
        '      write.ts | src/csv · new · +84 −0',
        '      write.test.ts | src/csv · new · +61 −0',
        '    ui | edits report.tsx · step 7 · 5:00 · 34k · $0.25',
        '      icons | waits to start',
        '      report.tsx | src · +3 −1',
        '      package.json | +1 −0',
        '    docs | stopped by you TIME · 1:00',
      ],
    );
  });

  it('says with shape, colour, context and words for a screen reader what each row is', () => {
    const rows = draw();
    const of = (name: string) => rows.find(({ row }) => row.trim().startsWith(`${name} |`));
    assert.deepEqual(
      ['CSV export', 'lead', 'parser', 'write.ts', 'ui', 'docs'].map((name) => {
        const { context, icon: shape } = of(name) ?? { context: '', icon: '' };
        return `${name}: ${context}, ${shape}`;
      }),
      [
        'CSV export: session.running.untold, organization',
        'lead: agent.running.lead, clock charts.blue',
        'parser: agent.running.member.changed, bell-dot list.warningForeground',
        'write.ts: file, file',
        'ui: agent.running.member.changed, circle-filled charts.purple',
        'docs: agent.left.member, circle-slash disabledForeground',
      ],
    );
    assert.match(of('parser')?.aria ?? '', /^parser, asks you, asks: npm test/);
    assert.match(of('write.ts')?.aria ?? '', /^src\/csv\/write\.ts, /);
  });

  it('a report with changed files is to review: said in the row and to the menus', () => {
    const node = find('ui');
    assert.ok(node.type === 'agent');
    const { agent: agentId } = node;
    const runId = openRunOf(story.state, agentId);
    assert.ok(runId !== null);
    const id = localId<OutcomeId>('o', story.state.outcomes.size);
    const report = { taskId: null, messageId: null, kind: 'result', paths: [], cause: 'final' } as const;
    story.push({
      type: 'outcome.recorded',
      outcome: { id, agentId, runId, summary: inline('done'), ...report },
    });
    const item = tree.getTreeItem(node);
    assert.equal(item.contextValue, 'agent.running.member.changed.review');
    assert.match(String(item.description), /^to review · /);
    assert.match(item.accessibilityInformation?.label ?? '', /, to review, /);
    story.push({ type: 'outcome.accepted', outcomeId: id });
    assert.equal(tree.getTreeItem(node).contextValue, 'agent.running.member.changed');
  });

  it('a file opens its diff and stands for the file itself; a row keeps its identity', () => {
    const file = find('write.ts');
    const item = tree.getTreeItem(file);
    assert.equal(item.resourceUri?.fsPath, '/work/app/src/csv/write.ts');
    assert.equal(item.command?.command, 'teamroom.openDiff');
    assert.deepEqual(item.command?.arguments, [file]);
    assert.equal(find('write.ts'), file);
    assert.equal(tree.getParent(file), find('parser'));
    assert.equal(tree.getParent(find('icons')), find('ui'));
  });

  it('the tooltip says who it is, as plain text of which nothing can be made (A21)', () => {
    const role = '[x](command:workbench.action.quit) <img src=x> ![p](http://e.com/p)';
    const node: AgentsNode = { type: 'agent', session, agent: story.add('evil', null, role) };
    assert.equal(
      tree.resolveTreeItem(tree.getTreeItem(node), node).tooltip,
      [
        'evil: has not started',
        `Role: ${role}`,
        'Manager: you',
        'Model: m1',
        'Active: 0:00',
        'Steps: 0',
        'Tokens: 0',
        'Cost: $0.00',
      ].join('\n'),
    );
  });

  it('an agent’s own list: how far it is in the row while something is left, all of it in the tooltip', () => {
    const agent = story.add('lister', null, 'keeps a list');
    const node: AgentsNode = { type: 'agent', session, agent };
    const look = { text: 'look', status: 'done' } as const;
    story.push({
      type: 'agent.todo',
      agentId: agent,
      items: [look, { text: '[write](x:y)', status: 'in_progress' }, { text: 'tell', status: 'pending' }],
    });
    const item = tree.getTreeItem(node);
    assert.equal(item.description, 'has not started · 1 of 3: [write](x:y)');
    assert.match(item.accessibilityInformation?.label ?? '', /has not started, 1 of 3: \[write\]/u);
    const tooltip = tree.resolveTreeItem(item, node).tooltip;
    assert.ok(typeof tooltip === 'string');
    assert.ok(tooltip.endsWith('\n\n1 of 3: [write](x:y)\n☑ look\n▶ [write](x:y)\n☐ tell'), tooltip);
    story.push({ type: 'agent.todo', agentId: agent, items: [look] });
    assert.equal(tree.getTreeItem(node).description, 'has not started');
  });

  it('draws changed rows again and no others, at once and then at most once a second', () => {
    draw();
    const lead = find('lead');
    clock.advance(60);
    for (const run of [...story.state.open.runs]) story.end(run);
    tree.touch();
    clock.advance(989);
    assert.equal(redrawn.length, 0);
    clock.advance(1);
    const [first] = redrawn;
    assert.deepEqual(first?.map((node) => (node.type === 'agent' ? node.agent : node.type)).sort(), [
      'a0',
      'a1',
      'a2',
      'a4',
      'session',
    ]);
    // The editor asks for what it was told to draw again.
    draw();
    clock.advance(5000);
    story.add('late', lead.type === 'agent' ? lead.agent : null, 'comes late');
    tree.touch();
    tree.touch();
    clock.advance(50);
    // The lead has one more member; nothing else is seen of it.
    assert.deepEqual(redrawn.slice(1), [[lead]]);
  });

  it('goes on ticking while somebody works, and stops then', () => {
    draw();
    clock.advance(50);
    assert.equal(redrawn.length, 0);
    clock.advance(3000);
    assert.equal(redrawn.length, 3);
    assert.ok(redrawn.every((nodes) => nodes?.length === 1 && nodes[0] === find('ui')));
    for (const run of [...story.state.open.runs]) story.end(run);
    clock.advance(1000);
    const after = redrawn.length;
    clock.advance(10_000);
    assert.equal(redrawn.length, after);
    assert.deepEqual(clock.pending, []);
  });

  it('says what streams as the Tree tab does, and forgets it with the session', () => {
    const ui = find('ui');
    assert.ok(ui.type === 'agent');
    const { agent } = ui;
    const said = () => String(tree.getTreeItem(ui).description).split(' · ')[0];
    assert.equal(said(), 'edits report.tsx');
    const run = openRunOf(story.state, agent);
    assert.ok(run !== null);
    for (const call of openCallsOf(story.state, run)) story.finish(call.id);
    assert.equal(said(), 'thinks');
    draw();
    tree.live(session, { agent, type: 'text', delta: 'The report' });
    clock.advance(1000);
    assert.ok(redrawn.flat().includes(ui));
    assert.equal(said(), 'writes');
    tree.live(session, { agent, type: 'tool_writing', tool: 'edit' });
    assert.equal(said(), 'prepares edit');
    assert.match(tree.getTreeItem(ui).accessibilityInformation?.label ?? '', /prepares edit/);
    tree.live(session, { agent, type: 'retry', attempt: 2, waitMs: 9000, reason: 'busy' });
    assert.equal(said(), 'waits for the server, 0:09 (busy)');
    tree.reset();
    assert.equal(said(), 'waits for the server, 0:09 (busy)', 'the session is still there');
    open = [];
    tree.reset();
    open = [session];
    assert.equal(said(), 'thinks');
  });

  it('who gets a first member is unfolded; who has only files is not', () => {
    const { Expanded, Collapsed, None } = vscode.TreeItemCollapsibleState;
    const fold = (name: string) => tree.getTreeItem(find(name)).collapsibleState;
    assert.deepEqual(['lead', 'parser', 'ui', 'icons', 'docs'].map(fold), [
      Expanded,
      Collapsed,
      Expanded,
      None,
      None,
    ]);
    const icons = find('icons');
    const before = tree.getTreeItem(icons).id;
    assert.ok(icons.type === 'agent');
    story.add('brush', icons.agent, 'paints');
    const item = tree.getTreeItem(icons);
    assert.equal(item.collapsibleState, Expanded);
    assert.notEqual(item.id, before, 'the editor keeps the folding of an id that it knows');
  });
});

describe('where a path of the agents lies', () => {
  it('is relative to the only folder, else begins with the name of its folder', () => {
    const app = { name: 'app', path: '/work/app' };
    const lib = { name: 'lib', path: '/other/lib' };
    assert.equal(placeIn([], 'a.ts'), null);
    assert.equal(placeIn([app], 'src/a.ts'), '/work/app/src/a.ts');
    assert.equal(placeIn([app, lib], 'lib/src/a.ts'), '/other/lib/src/a.ts');
    assert.equal(placeIn([app, lib], 'src/a.ts'), null);
  });
});
