import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { root } from './sources';

const menuItem = z.object({ command: z.string(), when: z.string().optional(), group: z.string().optional() });
const view = z.object({ id: z.string(), name: z.string(), type: z.string().optional(), icon: z.string() });
const setting = z.object({
  type: z.union([z.string(), z.array(z.string())]),
  scope: z.enum(['machine', 'window', 'resource', 'application', 'machine-overridable']),
  default: z.unknown(),
  markdownDescription: z.string(),
});

const step = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  media: z.object({ svg: z.string(), altText: z.string() }),
  completionEvents: z.array(z.string()).nonempty(),
});
const walkthrough = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  icon: z.string(),
  steps: z.array(step),
});

const schema = z.object({
  name: z.string(),
  publisher: z.string(),
  version: z.string(),
  main: z.string(),
  icon: z.string(),
  engines: z.object({ vscode: z.string(), node: z.string() }),
  activationEvents: z.array(z.string()),
  devDependencies: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()).optional(),
  capabilities: z.object({
    untrustedWorkspaces: z.object({ supported: z.string(), restrictedConfigurations: z.array(z.string()) }),
    virtualWorkspaces: z.object({ supported: z.boolean() }),
  }),
  contributes: z.object({
    viewsContainers: z.object({ activitybar: z.array(z.object({ id: z.string(), icon: z.string() })) }),
    views: z.record(z.string(), z.array(view)),
    viewsWelcome: z.array(z.object({ view: z.string(), contents: z.string(), when: z.string().optional() })),
    walkthroughs: z.array(walkthrough),
    commands: z.array(z.object({ command: z.string(), title: z.string(), category: z.string() })),
    menus: z.record(z.string(), z.array(menuItem)),
    configuration: z.object({ properties: z.record(z.string(), setting) }),
  }),
});

export type Manifest = z.infer<typeof schema>;

export const manifestText = (): string => readFileSync(join(root, 'package.json'), 'utf8');
export const readManifest = (): Manifest => schema.parse(JSON.parse(manifestText()));
export const readWords = (): Record<string, string> =>
  z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8')));
