import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import type { ModelEntry } from '../../src/model/port';
import { type AddModelPorts, addModel, ensureKey } from '../../src/vscode/models/addModel';
import { isLocal, readAddress } from '../../src/vscode/models/address';
import { freeId, readCount, readPrices } from '../../src/vscode/models/entries';
import { ModelKeys } from '../../src/vscode/models/keys';
import { listServerModels, type ServerModels } from '../../src/vscode/models/serverModels';
import { MemorySecrets } from '../support/memorySecrets';
import { type Reaction, ScriptedAsker } from '../support/scriptedAsker';

const entry: ModelEntry = {
  id: 'gpt',
  provider: 'openai',
  label: 'gpt',
  baseUrl: 'https://api.example.com/v1',
  model: 'gpt',
  parallel: null,
  singleSession: false,
  capacityGroup: null,
  contextWindow: 128_000,
  price: null,
  parameters: {},
};

const thrown = (error: unknown) => {
  throw error;
};

describe('a base URL as a person types it', () => {
  it('is kept without a slash at the end, and says what a key would be bound to', () => {
    assert.deepEqual(readAddress(' https://API.example.com:443/v1/ '), {
      ok: true,
      value: { url: 'https://api.example.com/v1', origin: 'https://api.example.com', exposed: false },
    });
  });

  it('is refused where the host is not what it looks like (A28), and where it is no address', () => {
    const problems = [
      '',
      'api.example.com/v1',
      'file:///etc/passwd',
      'https://allowed.com@evil.com/v1',
      'https://api.example.com/v1?key=1',
    ].map((text) => {
      const read = readAddress(text);
      return read.ok ? 'taken' : read.error;
    });
    assert.deepEqual(problems, ['empty', 'not_url', 'not_http', 'userinfo', 'query']);
    const odd = readAddress('https://evil.com\\.allowed.com/v1');
    assert.equal(odd.ok && odd.value.origin, 'https://evil.com');
  });

  it('is exposed over plain http to another machine only (A27)', () => {
    const exposed = ['http://10.0.0.7/v1', 'http://localhost:1/v1', 'http://127.0.0.1/v1', 'http://[::1]/v1'];
    assert.deepEqual(
      exposed.map((url) => {
        const read = readAddress(url);
        return read.ok && read.value.exposed;
      }),
      [true, false, false, false],
    );
    assert.equal(isLocal('http://localhost.evil.com/v1'), false);
  });
});

describe('numbers as a person types them', () => {
  it('are read with their units', () => {
    const read = ['128000', '128k', '1M', '1.5k', '1023', '', '12x', '1.0005k'].map((text) =>
      readCount(text, 1024),
    );
    assert.deepEqual(read, [128_000, 128_000, 1_000_000, 1500, null, null, null, null]);
  });

  it('prices are two or three numbers, or unknown', () => {
    assert.equal(readPrices('  '), null);
    assert.deepEqual(readPrices('2 8'), { input: 2, cachedInput: 2, output: 8 });
    assert.deepEqual(readPrices('0.25, 0.025, 2'), { input: 0.25, cachedInput: 0.025, output: 2 });
    assert.equal(readPrices('5'), 'form');
    assert.equal(readPrices('5 -1'), 'number');
    assert.equal(readPrices('a b'), 'number');
  });

  it('an id is free, whatever it is made from', () => {
    assert.equal(freeId('GPT 5 (mini)', new Set()), 'gpt-5-mini');
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (label, others) => {
        const first = freeId(label, new Set(others));
        const second = freeId(label, new Set([...others, first]));
        return first !== '' && !others.includes(first) && second !== first;
      }),
    );
  });
});

describe('Add Model', () => {
  const run = async (
    script: readonly Reaction[],
    listed: ServerModels,
    kept: Record<string, string> = {},
  ) => {
    const secrets = new MemorySecrets();
    for (const [origin, key] of Object.entries(kept)) await new ModelKeys(secrets, thrown).set(origin, key);
    const saved: ModelEntry[] = [];
    const askedServer: (readonly [string, string | null])[] = [];
    const asker = new ScriptedAsker(...script);
    const ports: AddModelPorts = {
      asker,
      keys: new ModelKeys(secrets, thrown),
      taken: () => new Set(['small']),
      save: async (entry, storeKey) => {
        await storeKey();
        assert.equal(saved.length, 0);
        saved.push(entry);
      },
      serverModels: async (url, key) => {
        askedServer.push([url, key]);
        return listed;
      },
    };
    const outcome = await addModel(ports);
    assert.deepEqual(asker.left, [], 'everything in the script was asked for');
    return { outcome, saved, secrets: Object.fromEntries(secrets.kept), askedServer, asker };
  };
  const models: ServerModels = { type: 'models', ids: ['large', 'small'] };

  it('takes a known server, a key and a model from its list, and nothing else', async () => {
    const { outcome, saved, secrets, askedServer } = await run(
      [{ pick: 'OpenAI' }, { type: 'sk-1' }, { pick: 'small' }, { pick: 'Add it now' }],
      models,
    );
    const added: ModelEntry = {
      ...entry,
      id: 'small-2',
      label: 'small',
      model: 'small',
      baseUrl: 'https://api.openai.com/v1',
    };
    assert.deepEqual(outcome, { type: 'added', entry: added });
    assert.deepEqual(saved, [added]);
    assert.deepEqual(secrets, { 'key:https://api.openai.com': '=sk-1' });
    assert.deepEqual(askedServer, [['https://api.openai.com/v1', 'sk-1']]);
  });

  it('asks for the rest on request, and says what it can not take', async () => {
    const { saved } = await run(
      [
        { pick: 'Another server…' },
        { type: 'ftp://x', complaint: /https/ },
        { type: 'http://10.0.0.7:8080/v1/', complaint: /unencrypted/ },
        { type: 'two words', complaint: /spaces/ },
        { type: '' },
        { type: '', complaint: /empty/ },
        { type: 'qwen' },
        { pick: /^Set name/ },
        { type: 'My Qwen' },
        { type: '0', complaint: /from 1/ },
        { type: '2' },
        { type: '12', complaint: /1024/ },
        { type: '32k' },
        { type: '1', complaint: /Two or three/ },
        { type: '0.1 0.3' },
      ],
      { type: 'none', why: 'HTTP 404' },
    );
    assert.deepEqual(saved, [
      {
        ...entry,
        id: 'my-qwen',
        label: 'My Qwen',
        model: 'qwen',
        baseUrl: 'http://10.0.0.7:8080/v1',
        parallel: 2,
        contextWindow: 32_000,
        price: { input: 0.1, cachedInput: 0.1, output: 0.3 },
      },
    ]);
  });

  it('keeps a stored key when none is typed, and asks again for one that is refused', async () => {
    const kept = { 'https://openrouter.ai': 'sk-old' };
    const first = await run(
      [{ pick: 'OpenRouter' }, { type: '' }, { pick: 'large' }, { pick: 'Add it now' }],
      models,
      kept,
    );
    assert.deepEqual(first.askedServer, [['https://openrouter.ai/api/v1', 'sk-old']]);
    assert.deepEqual(first.secrets, { 'key:https://openrouter.ai': '=sk-old' });
    const second = await run([{ pick: 'OpenAI' }, { type: 'sk-wrong' }, { type: 'sk-2' }, 'escape'], {
      type: 'refused',
      status: 401,
    });
    assert.deepEqual(
      second.askedServer.map(([, key]) => key),
      ['sk-wrong', 'sk-2'],
    );
    assert.match(second.asker.asked[2] ?? '', /refused.*401/);
  });

  it('leaves nothing behind when it is left with Escape, at whichever question', async () => {
    const all: readonly Reaction[] = [
      { pick: 'Another server…' },
      { type: 'https://api.example.com/v1' },
      { type: 'sk-1' },
      { pick: 'small' },
      { pick: /^Set name/ },
      { type: 'x' },
      { type: '' },
      { type: '1000k' },
      { type: '' },
    ];
    for (let n = 0; n < all.length; n++) {
      const { outcome, saved, secrets } = await run([...all.slice(0, n), 'escape'], models);
      assert.deepEqual({ outcome, saved, secrets }, { outcome: { type: 'left' }, saved: [], secrets: {} });
    }
  });

  it('offers the rehearsal as its last choice', async () => {
    const { outcome } = await run([{ pick: /^Rehearse/ }], models);
    assert.deepEqual(outcome, { type: 'rehearse' });
  });
});

describe('a key is bound to its origin', () => {
  it('and another origin is asked about before work starts there, a local one is not', async () => {
    const keys = new ModelKeys(new MemorySecrets(), thrown);
    await keys.set('https://api.example.com', 'sk-1');
    const quiet = new ScriptedAsker();
    assert.equal(await ensureKey(quiet, keys, entry, isLocal), true);
    assert.equal(await ensureKey(quiet, keys, { ...entry, baseUrl: 'http://localhost:1/v1' }, isLocal), true);
    assert.deepEqual(quiet.asked, []);

    const moved = { ...entry, baseUrl: 'https://api.example.com:8443/v1' };
    assert.equal(await ensureKey(new ScriptedAsker('escape'), keys, moved, isLocal), false);
    assert.equal(await keys.get('https://api.example.com:8443'), null);
    assert.equal(await ensureKey(new ScriptedAsker({ type: '' }), keys, moved, isLocal), true);
    assert.equal(
      await keys.get('https://api.example.com:8443'),
      '',
      'none is needed, and that is remembered',
    );
    assert.equal(await ensureKey(new ScriptedAsker(), keys, moved, isLocal), true);
  });
});

describe('the models of a server', () => {
  const serve = async (
    answer: (request: IncomingMessage) => { status: number; body: string; location?: string },
  ) => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      const { status, body, location } = answer(request);
      response.writeHead(status, location === undefined ? {} : { location });
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = () => new Promise((resolve) => server.close(resolve));
    return { url: `http://127.0.0.1:${port}/v1`, seen, close };
  };

  it('are listed sorted, each once, and asked for with the key', async () => {
    const body = JSON.stringify({ data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }] });
    const server = await serve(() => ({ status: 200, body }));
    assert.deepEqual(await listServerModels(server.url, 'sk-1'), { type: 'models', ids: ['a', 'b'] });
    assert.deepEqual(await listServerModels(server.url, ''), { type: 'models', ids: ['a', 'b'] });
    assert.deepEqual(server.seen, ['Bearer sk-1', undefined]);
    await server.close();
  });

  it('a refused key is told from a server without a list, and a redirect takes no key along (A27)', async () => {
    const refuses = await serve(() => ({ status: 401, body: '' }));
    assert.deepEqual(await listServerModels(refuses.url, 'x'), { type: 'refused', status: 401 });
    const none = await serve(() => ({ status: 404, body: 'no' }));
    assert.deepEqual(await listServerModels(none.url, 'x'), { type: 'none', why: 'HTTP 404' });
    const strange = await serve(() => ({ status: 200, body: '[]' }));
    assert.deepEqual(await listServerModels(strange.url, 'x'), { type: 'none', why: 'no list of models' });
    const other = await serve(() => ({ status: 200, body: '{"data":[]}' }));
    const redirects = await serve(() => ({ status: 302, body: '', location: `${other.url}/models` }));
    assert.equal((await listServerModels(redirects.url, 'sk-1')).type, 'none');
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const address = gone.address();
    assert.ok(typeof address === 'object' && address !== null);
    gone.close();
    await once(gone, 'close');
    assert.deepEqual(await listServerModels(`http://127.0.0.1:${address.port}/v1`, ''), {
      type: 'none',
      why: 'nothing listens at this address',
    });
    assert.deepEqual(other.seen, []);
    for (const server of [refuses, none, strange, other, redirects]) await server.close();
  });
});
