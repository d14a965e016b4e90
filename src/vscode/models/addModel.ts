import { keyOrigin } from '../../model/catalog';
import type { ModelEntry } from '../../model/port';
import { type Asker, error, warning } from '../asker';
import { say } from '../texts';
import { type Address, readAddress } from './address';
import { DEFAULT_WINDOW, freeId, LEAST_WINDOW, readCount, readPrices } from './entries';
import type { ModelKeys } from './keys';
import type { ServerModels } from './serverModels';

export interface AddModelPorts {
  readonly asker: Asker;
  readonly keys: Pick<ModelKeys, 'get' | 'set'>;
  readonly taken: () => ReadonlySet<string>;
  /** Stores the key, then the entry: nobody finds a model whose key isn't there yet. */
  readonly save: (entry: ModelEntry, storeKey: () => Promise<void>) => Promise<void>;
  readonly serverModels: (baseUrl: string, key: string | null) => Promise<ServerModels>;
}

export type AddedModel =
  | { readonly type: 'added'; readonly entry: ModelEntry }
  | { readonly type: 'rehearse' }
  | { readonly type: 'left' };

type Choice = { readonly type: 'server'; readonly url: string | null } | { readonly type: 'rehearse' };

const servers = [
  { label: 'OpenAI', url: 'https://api.openai.com/v1', local: false },
  { label: 'OpenRouter', url: 'https://openrouter.ai/api/v1', local: false },
  { label: 'Ollama', url: 'http://localhost:11434/v1', local: true },
  { label: 'LM Studio', url: 'http://localhost:1234/v1', local: true },
] as const;

const STEPS = 4;
const ALL_STEPS = 8;
const LEFT: AddedModel = { type: 'left' };

/**
 * Asks for server, key and model, and for the rest only on request. Nothing is stored before the last answer, so
 * that leaving it with Escape leaves nothing behind.
 */
export async function addModel(ports: AddModelPorts): Promise<AddedModel> {
  const choice = await askServer(ports.asker);
  if (choice === undefined) return LEFT;
  if (choice.type === 'rehearse') return { type: 'rehearse' };
  const address = await askAddress(ports.asker, choice.url);
  if (address === null) return LEFT;
  const found = await askKeyAndModel(ports, address);
  if (found === null) return LEFT;
  const entry = await askDetails(ports, address, found.model);
  if (entry === null) return LEFT;
  const { key } = found;
  await ports.save(entry, async () => {
    if (key !== null) await ports.keys.set(address.origin, key);
  });
  return { type: 'added', entry };
}

function askServer(asker: Asker): Promise<Choice | undefined> {
  return asker.pick<Choice>({
    title: say.addModelTitle(1, STEPS),
    placeholder: say.whichServer(),
    items: [
      ...servers.map(({ label, url, local }) => ({
        label,
        description: local ? `${url}, ${say.onThisMachine()}` : url,
        icon: local ? 'vm' : 'cloud',
        value: { type: 'server', url } as const,
      })),
      {
        label: say.otherServer(),
        description: say.otherServerDetail(),
        icon: 'server',
        value: { type: 'server', url: null },
      },
      {
        label: say.rehearseChoice(),
        description: say.rehearseDetail(),
        icon: 'play',
        value: { type: 'rehearse' },
      },
    ],
  });
}

/** A known server's address is taken as it is; another's is typed. */
async function askAddress(asker: Asker, known: string | null): Promise<Address | null> {
  const text =
    known ??
    (await asker.input({
      title: say.addModelTitle(2, STEPS),
      prompt: say.baseUrl(),
      placeholder: 'http://localhost:8080/v1',
      check: (value) => {
        const read = readAddress(value);
        if (!read.ok) return error(say.addressProblem(read.error));
        return read.value.exposed ? warning(say.exposed()) : null;
      },
    }));
  if (text === undefined) return null;
  const address = readAddress(text);
  return address.ok ? address.value : null;
}

/** @returns the model's name and the key to store; key null: what is stored stays */
async function askKeyAndModel(
  ports: AddModelPorts,
  address: Address,
): Promise<{ readonly model: string; readonly key: string | null } | null> {
  const stored = await ports.keys.get(address.origin);
  let prompt = stored === null || stored === '' ? say.keyPrompt(address.origin) : say.keyKept(address.origin);
  let typed: string | null = null;
  for (;;) {
    const answer = await askKey(ports.asker, address.origin, prompt);
    if (answer === undefined) return null;
    const same = typed !== null && answer === '';
    if (!same) typed = answer === '' && stored !== null ? null : answer;
    const key = typed ?? stored;
    const listed = await ports.asker.busy(say.askingServer(), ports.serverModels(address.url, key));
    if (listed.type === 'refused' && !same) {
      prompt = say.keyRefused(listed.status);
      continue;
    }
    const model = await askModel(ports.asker, listed);
    return model === undefined ? null : { model, key: typed };
  }
}

function askKey(asker: Asker, origin: string, prompt: string): Promise<string | undefined> {
  return asker
    .input({
      title: say.addModelTitle(3, STEPS),
      prompt,
      placeholder: say.keyFor(origin),
      password: true,
      check: (value) => (/\s/.test(value.trim()) ? error(say.keyHasSpace()) : null),
    })
    .then((key) => key?.trim());
}

function askModel(asker: Asker, listed: ServerModels): Promise<string | undefined> {
  const title = say.addModelTitle(STEPS, STEPS);
  if (listed.type === 'models' && listed.ids.length > 0) {
    return asker.pickOrType({ title, placeholder: say.whichModel(), items: listed.ids, typed: say.typed });
  }
  const why = listed.type === 'none' ? listed.why : listed.type === 'refused' ? `HTTP ${listed.status}` : '0';
  return asker
    .input({
      title,
      prompt: say.modelName(why),
      check: (value) => (value.trim() === '' ? error(say.notEmpty()) : null),
    })
    .then((name) => name?.trim());
}

async function askDetails(ports: AddModelPorts, address: Address, model: string): Promise<ModelEntry | null> {
  const entry: ModelEntry = {
    id: freeId(model, ports.taken()),
    provider: 'openai',
    label: model,
    baseUrl: address.url,
    model,
    parallel: null,
    singleSession: false,
    capacityGroup: null,
    contextWindow: DEFAULT_WINDOW,
    price: null,
    parameters: {},
  };
  const more = await ports.asker.pick({
    title: say.addModel(),
    placeholder: model,
    items: [
      { label: say.addNow(), detail: say.addNowDetail(String(DEFAULT_WINDOW)), icon: 'check', value: false },
      { label: say.details(), icon: 'settings', value: true },
    ],
  });
  if (more === undefined) return null;
  return more ? askRest(ports, entry) : entry;
}

async function askRest(ports: AddModelPorts, entry: ModelEntry): Promise<ModelEntry | null> {
  const { asker } = ports;
  const label = await asker.input({
    title: say.addModelTitle(5, ALL_STEPS),
    prompt: say.label(),
    value: entry.label,
    check: (value) => (value.trim() === '' ? error(say.notEmpty()) : null),
  });
  if (label === undefined) return null;
  const parallel = await asker.input({
    title: say.addModelTitle(6, ALL_STEPS),
    prompt: say.parallel(),
    check: (value) =>
      value.trim() === '' || readCount(value, 1) !== null ? null : error(say.parallelProblem()),
  });
  if (parallel === undefined) return null;
  const window = await asker.input({
    title: say.addModelTitle(7, ALL_STEPS),
    prompt: say.window(),
    value: String(entry.contextWindow),
    check: (value) =>
      readCount(value, LEAST_WINDOW) === null ? error(say.windowProblem(LEAST_WINDOW)) : null,
  });
  if (window === undefined) return null;
  const prices = await askPrices(asker);
  if (prices === undefined) return null;
  return {
    ...entry,
    id: freeId(label.trim(), ports.taken()),
    label: label.trim(),
    parallel: readCount(parallel, 1),
    contextWindow: readCount(window, LEAST_WINDOW) ?? DEFAULT_WINDOW,
    price: prices,
  };
}

async function askPrices(asker: Asker): Promise<ModelEntry['price'] | undefined> {
  const text = await asker.input({
    title: say.addModelTitle(ALL_STEPS, ALL_STEPS),
    prompt: say.prices(),
    placeholder: '0.25 0.025 2',
    check: (value) => {
      const prices = readPrices(value);
      return typeof prices === 'string' ? error(say.pricesProblem(prices)) : null;
    },
  });
  if (text === undefined) return undefined;
  const prices = readPrices(text);
  return typeof prices === 'string' ? null : prices;
}

/**
 * Before work starts: a server elsewhere whose origin was never given a key is asked about, for instance after its
 * base URL was changed by hand. One on this machine seldom wants a key and isn't asked about.
 * @returns false: the person left the question, so nothing should start
 */
export async function ensureKey(
  asker: Asker,
  keys: Pick<ModelKeys, 'get' | 'set'>,
  entry: ModelEntry,
  isLocal: (baseUrl: string) => boolean,
): Promise<boolean> {
  const origin = keyOrigin(entry.baseUrl);
  if (entry.provider === 'rehearsal' || origin === null || isLocal(entry.baseUrl)) return true;
  if ((await keys.get(origin)) !== null) return true;
  const key = await asker.input({
    title: entry.label,
    prompt: say.keyPrompt(origin),
    placeholder: say.keyFor(origin),
    password: true,
  });
  if (key === undefined) return false;
  await keys.set(origin, key.trim());
  return true;
}
