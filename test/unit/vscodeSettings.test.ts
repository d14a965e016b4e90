import assert from 'node:assert/strict';
import { SettingsModels } from '../../src/vscode/models/settingsModels';
import { type SettingProblem, VscodeSettings } from '../../src/vscode/settings';
import { say } from '../../src/vscode/texts';
import { readManifest } from '../support/house/manifest';

type Values = Readonly<Record<string, unknown>>;

/** What the manifest gives where the person has written nothing. */
const defaults: Values = Object.fromEntries(
  Object.entries(readManifest().contributes.configuration.properties).map(([key, property]) => [
    key.replace(/^teamroom\./, ''),
    property.default,
  ]),
);

function settingsWith(values: Values) {
  const problems: SettingProblem[] = [];
  const configuration = { get: (key: string): unknown => ({ ...defaults, ...values })[key] };
  return { settings: new VscodeSettings(configuration, (problem) => problems.push(problem)), problems };
}

describe('the settings of the editor', () => {
  it('are those of the design where nothing is written', () => {
    const { settings, problems } = settingsWith({});
    assert.deepEqual(settings.limits(), {
      steps: 50,
      activeMs: 1_800_000,
      tokens: 2_000_000,
      microUsd: 5_000_000,
    });
    assert.deepEqual([settings.mode(), settings.resume(), settings.rules()], ['ask', 'ask', []]);
    assert.ok(settings.defaultSize().max <= settings.cap());
    assert.deepEqual(problems, []);
  });

  it('a limit is off only where null is written', () => {
    const { settings, problems } = settingsWith({
      'limits.steps': null,
      'limits.minutes': 0.5,
      'limits.tokens': 0,
      'limits.usd': 'much',
    });
    assert.deepEqual(settings.limits(), {
      steps: null,
      activeMs: 30_000,
      tokens: 2_000_000,
      microUsd: 5_000_000,
    });
    assert.deepEqual(problems, [
      { type: 'value', key: 'teamroom.limits.usd' },
      { type: 'value', key: 'teamroom.limits.tokens' },
    ]);
  });

  it('L-13 a size out of bounds is not used, and what is said names the keys and the bounds', () => {
    const { settings, problems } = settingsWith({ 'agents.min': 5, 'agents.max': 3, 'agents.cap': 8 });
    assert.deepEqual(settings.defaultSize(), { min: 1, max: 4 });
    assert.deepEqual(problems, [{ type: 'size', min: 5, max: 3, cap: 8 }]);
    const words = say.settingProblem({ type: 'size', min: 5, max: 3, cap: 8 });
    assert.match(words, /teamroom\.agents\.min \(5\).*teamroom\.agents\.max \(3\).*1 ≤ min ≤ max ≤ 8/);
    assert.deepEqual(settingsWith({ 'agents.max': 4, 'agents.cap': 2 }).settings.defaultSize(), {
      min: 1,
      max: 2,
    });
  });

  it('rules that can not be read make everything ask: a denial may have been among them', () => {
    const { settings, problems } = settingsWith({ permissionRules: [{ effect: 'denny', tool: 'bash' }] });
    assert.deepEqual(settings.rules(), [{ effect: 'ask', tool: '*', pattern: null }]);
    assert.deepEqual(problems, [{ type: 'value', key: 'teamroom.permissionRules' }]);
    const good = settingsWith({ permissionRules: [{ effect: 'deny', tool: 'bash', pattern: 'rm *' }] });
    assert.deepEqual(good.settings.rules(), [{ effect: 'deny', tool: 'bash', pattern: 'rm *' }]);
  });

  it('a mode that is none is the careful one', () => {
    const { settings } = settingsWith({ permissionMode: 'yolo' });
    assert.equal(settings.mode(), 'ask');
  });
});

describe('the models of the settings', () => {
  const entry = { id: 'a', provider: 'openai', baseUrl: 'http://localhost:1/v1', model: 'm' };
  const modelsWith = (values: Values, rehearses = false) => {
    const written: Record<string, unknown> = { ...defaults, ...values };
    const problems: SettingProblem[] = [];
    const models = new SettingsModels(
      {
        get: (key) => written[key],
        set: async (key, value) => {
          written[key] = value;
        },
      },
      rehearses,
      (problem) => problems.push(problem),
    );
    return { models, problems, written };
  };

  it('the default is the one that is named, else the first', () => {
    const list = [entry, { ...entry, id: 'b' }];
    assert.equal(modelsWith({ models: list }).models.default()?.id, 'a');
    assert.equal(modelsWith({ models: list, defaultModel: 'b' }).models.default()?.id, 'b');
    assert.equal(modelsWith({ models: list, defaultModel: 'gone' }).models.default()?.id, 'a');
    assert.equal(modelsWith({}).models.default(), null);
  });

  it('the rehearsal is there in a sample folder only, and its default; nobody can write it into the settings', () => {
    const claims = { id: 'x', provider: 'rehearsal', baseUrl: '', model: 'x' };
    const { models } = modelsWith({ models: [claims, entry] });
    assert.deepEqual(
      models.entries().map(({ id }) => id),
      ['a'],
    );
    const sample = modelsWith({ models: [entry], defaultModel: 'a' }, true).models;
    assert.deepEqual(
      sample.entries().map(({ id, provider }) => `${id} ${provider}`),
      ['rehearsal rehearsal', 'a openai'],
    );
    assert.equal(sample.defaultModel(), 'rehearsal');
  });

  it('what can not be used is told once, and the others are used', () => {
    const { models, problems } = modelsWith({
      models: [
        { ...entry, baseUrl: 'ftp://x' },
        { ...entry, id: 'b' },
      ],
    });
    assert.deepEqual(
      models.entries().map(({ id }) => id),
      ['b'],
    );
    models.entries();
    assert.equal(problems.length, 1);
  });

  it('an added model is written without its key and without what is default, and can be read again', async () => {
    const { models, written } = modelsWith({ models: [entry] });
    const [first] = models.entries();
    assert.ok(first);
    let isKeyStored = false;
    const adding = models.add({ ...first, id: 'b', label: 'B', parallel: 2 }, async () => {
      await new Promise(setImmediate);
      isKeyStored = true;
    });
    assert.equal(models.entries().length, 1, 'the key comes first');
    await models.settled();
    assert.equal(models.entries().length, 2);
    assert.ok(isKeyStored);
    await adding;
    assert.deepEqual(written['models'], [
      entry,
      {
        id: 'b',
        provider: 'openai',
        label: 'B',
        baseUrl: 'http://localhost:1/v1',
        model: 'm',
        contextWindow: 128_000,
        parallel: 2,
      },
    ]);
    assert.equal(models.entries()[1]?.parallel, 2);
    await models.setDefault('b');
    assert.equal(models.default()?.id, 'b');
  });
});
