import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '../../src/shared/ids';
import { processesIn, runningIn } from '../support/processesIn';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const member = (name: string) =>
  call('team_add', { name, role: name, task: `Part ${name}.`, goal: 'Parts.' });
const folderOf = (rig: Rig, session: SessionId) => join(rig.root, 'storage', 'sessions', session);
const listed = async (rig: Rig) => (await rig.engine.listings()).map((listing) => listing.id);

describe('deleting a session', function () {
  const { start } = scenes(this);

  /** One whose lead and member are at work, with commands in both grounds and a file whose content is a blob. */
  async function atWork(rig: Rig): Promise<SessionId> {
    rig.server.script({
      lead: [calls(call('bash', { command: 'sleep 1000', background: true }), member('ann')), hold('lead')],
      ann: [
        call('write', { path: 'made.txt', content: 'x'.repeat(5000) }),
        calls(
          call('bash', { command: 'sleep 1000 & sleep 1000', background: true }),
          call('bash', { command: 'sleep 1000' }),
        ),
      ],
    });
    const session = await rig.delegate('Parts.');
    await rig.server.held('lead');
    await runningIn(rig.workspace, 'sleep', 4);
    return session;
  }

  it('L-49 stops the whole team with all its processes and removes everything that was kept, and no more', async () => {
    const rig = await start({ mode: 'auto' });
    const session = await atWork(rig);
    const blobs = readdirSync(join(folderOf(rig, session), 'blobs'), { recursive: true });
    assert.ok(blobs.length > 0, 'there is content to be removed');
    const gone: SessionId[] = [];
    rig.engine.onDidDelete((id) => gone.push(id));
    assert.deepEqual(await rig.engine.deleteSession(session), { ok: true, value: null });
    assert.deepEqual(await processesIn(rig.workspace), []);
    assert.equal(existsSync(folderOf(rig, session)), false);
    assert.deepEqual(readdirSync(join(rig.root, 'storage', 'sessions')), []);
    assert.deepEqual([gone, await listed(rig), rig.engine.sessions()], [[session], [], []]);
    assert.equal(await rig.read('made.txt'), 'x'.repeat(5000), 'the work stays');
    const asked = rig.server.log.length;
    rig.server.release('lead');
    const no = { ok: false, error: { code: 'no_session', session } };
    assert.deepEqual(await rig.engine.deleteSession(session), no);
    assert.deepEqual((await rig.engine.send(session, null, 'Hello?')).ok, false);
    assert.equal(rig.server.log.length, asked, 'no model is asked any more');
    assert.deepEqual(
      rig.errors.filter((line) => !line.includes('could not be opened')),
      [],
    );
  });

  it('another session of the window goes on, and takes the slot that became free', async () => {
    const rig = await start({ mode: 'auto', parallel: 1 });
    rig.server.script({ lead: [hold('first'), say('The second is done.')] });
    const first = await rig.delegate('First.');
    await rig.server.held('first');
    const second = await rig.delegate('Second.');
    await rig.engine.deleteSession(first);
    await rig.quiet(second);
    assert.equal(await rig.lastAnswer(second), 'The second is done.');
    assert.deepEqual(await listed(rig), [second]);
    rig.server.release('first');
  });

  it('of a session that is not in memory starts nothing; one that is damaged can be deleted too', async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({ lead: [hold('lead')] });
    const session = await rig.delegate('Wait.');
    await rig.server.held('lead');
    await rig.close();
    rig.server.release('lead');
    await rig.open({ resume: () => 'auto' });
    const asked = rig.server.log.length;
    assert.deepEqual(rig.engine.sessions(), []);
    assert.deepEqual(await rig.engine.deleteSession(session), { ok: true, value: null });
    assert.deepEqual([await listed(rig), rig.server.log.length], [[], asked]);
    assert.equal(existsSync(folderOf(rig, session)), false);

    rig.server.script({ lead: [say('Done.')] });
    const other = await rig.delegate('Another.');
    await rig.quiet(other);
    await rig.close();
    const journal = readdirSync(folderOf(rig, other)).filter((name) => name.includes('journal'));
    assert.ok(journal.length > 0);
    for (const name of journal) await writeFile(join(folderOf(rig, other), name), 'not a journal');
    await rig.open();
    assert.deepEqual(await rig.engine.deleteSession(other), { ok: true, value: null });
    assert.equal(existsSync(folderOf(rig, other)), false);
  });

  it('is refused where this window may not write', async () => {
    const rig = await start({ parts: { trusted: false } });
    const refused = await rig.engine.deleteSession('s' as SessionId);
    assert.equal(refused.ok ? '' : refused.error.code, 'read_only');
  });
});
