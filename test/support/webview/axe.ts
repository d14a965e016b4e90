import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { TestView } from './view';

/** What axe finds wrong on the page, in words. */
export async function violations(view: TestView): Promise<readonly string[]> {
  const source = await readFile(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
  const found: unknown = await view.page.evaluate(`(async () => { ${source}; 
    const r = await axe.run(document);
    return r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.failureSummary + ' ' + n.html)); })()`);
  return found as readonly string[];
}
