/**
 * Who may import whom (README, "Layout"): for each zone what of ours it may name beside itself, and which packages.
 * Patterns: a folder with a trailing slash, or a module without its extension; `*` stands for a part of a name.
 */
export interface Zone {
  /** Modules that belong to the zone; the first zone that matches counts. */
  readonly modules: readonly string[];
  readonly ours: readonly string[];
  /** Package names; `node:` stands for all of Node's own. */
  readonly packages: readonly string[];
}

const pure = ['src/base/', 'src/shared/'];
const ports = ['src/*/port', 'src/*/*Port', 'src/runtime/toolPorts', 'src/tools/defineTool'];

export const zones: Readonly<Record<string, Zone>> = {
  base: { modules: ['src/base/'], ours: [], packages: [] },
  schema: {
    modules: ['src/shared/schema', 'src/shared/schema/', 'src/shared/*Schema'],
    ours: pure,
    packages: ['zod'],
  },
  shared: { modules: ['src/shared/'], ours: ['src/base/'], packages: [] },
  team: { modules: ['src/team/'], ours: pure, packages: [] },
  agent: {
    modules: ['src/agent/'],
    ours: [...pure, 'src/model/port', 'src/tools/defineTool', 'prompts/'],
    packages: ['node:'],
  },
  styles: {
    modules: ['src/styles/'],
    ours: [...pure, 'src/team/', 'src/tools/defineTool', 'src/runtime/toolPorts', 'prompts/'],
    packages: ['zod'],
  },
  runtime: {
    modules: ['src/runtime/'],
    ours: [...pure, 'src/team/', 'src/styles/', 'src/agent/', ...ports, 'prompts/'],
    packages: ['node:'],
  },
  tools: {
    modules: ['src/tools/'],
    ours: [...pure, 'src/workspace/port', 'src/runtime/toolPorts', 'prompts/'],
    packages: ['node:', 'zod', 'diff', 'picomatch', 'ignore'],
  },
  model: {
    modules: ['src/model/'],
    ours: [...pure, 'prompts/'],
    packages: ['node:', 'zod', 'openai', 'eventsource-parser'],
  },
  workspace: {
    modules: ['src/workspace/'],
    ours: [...pure, 'src/store/port'],
    packages: ['node:', 'zod', 'diff', 'node-diff3', 'ignore', 'picomatch', 'unbash'],
  },
  store: { modules: ['src/store/'], ours: pure, packages: ['node:', 'zod', 'sql.js'] },
  experts: {
    modules: ['src/experts/'],
    ours: [...pure, 'src/workspace/port', 'src/store/port', 'prompts/'],
    packages: ['node:', 'zod', 'yaml', 'picomatch'],
  },
  host: { modules: ['src/host/'], ours: ['src/', 'prompts/'], packages: ['node:', 'zod'] },
  vscode: {
    modules: ['src/vscode/'],
    ours: ['src/', 'prompts/'],
    packages: ['node:', 'vscode', 'zod', 'diff'],
  },
  extension: { modules: ['src/extension'], ours: ['src/'], packages: ['node:', 'vscode'] },
  headless: { modules: ['src/headless'], ours: ['src/', 'prompts/'], packages: ['node:', 'zod'] },
  webview: {
    modules: ['webview/'],
    ours: pure,
    packages: [
      'lit',
      '@vscode/webview-ui-toolkit',
      '@microsoft/fast-element',
      '@microsoft/fast-foundation',
      'markdown-it',
      'dompurify',
    ],
  },
};

/** What nobody may import, whatever the table says: the entries, and what only the host may hold. */
export const forbidden: Readonly<Record<string, readonly string[]>> = {
  host: ['src/extension', 'src/headless', 'src/vscode/', 'webview/'],
  extension: ['src/headless'],
  headless: ['src/extension', 'src/vscode/'],
  vscode: ['src/extension', 'src/headless', 'webview/'],
  webview: [
    'src/shared/schema',
    'src/shared/schema/',
    'src/shared/*Schema',
    'src/shared/reduce',
    'src/shared/reduce/',
  ],
  shared: ['src/shared/schema', 'src/shared/schema/', 'src/shared/*Schema'],
};

export function matches(module: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    if (pattern.endsWith('/') && !pattern.includes('*')) return module.startsWith(pattern);
    const source = pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
    return new RegExp(`^${source}$`).test(module);
  });
}

/** The zone that a module lies in, or null for what the table doesn't speak of. */
export function zoneOf(module: string): string | null {
  const entry = Object.entries(zones).find(([, zone]) => matches(module, zone.modules));
  return entry?.[0] ?? null;
}

/** "@scope/name" or "name" of a package import; Node's own modules are "node:". */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:';
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

/** Why a module may not name another, or null if it may. `to` is a module of ours, or null with a package. */
export function objection(from: string, to: string | null, specifier: string): string | null {
  const name = zoneOf(from);
  const zone = name === null ? undefined : zones[name];
  if (name === null || zone === undefined) return 'it lies in no zone of the import table';
  if (to === null) {
    const wanted = packageOf(specifier);
    return zone.packages.includes(wanted) ? null : `${name} may not use the package ${specifier}`;
  }
  if (matches(to, forbidden[name] ?? [])) return `${name} may not import ${to}`;
  if (matches(to, zone.modules) || matches(to, zone.ours)) return null;
  return `${name} may not import ${to}`;
}
