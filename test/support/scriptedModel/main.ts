/**
 * The scripted model as a process of its own: `node main.cjs SCRIPT.json [PORT]`. The script is an object of agent
 * names and lists of answers (see script.ts). Prints the base URL as its first line and runs until it is ended.
 */
import { readFileSync } from 'node:fs';
import type { Script } from './script';
import { startScriptedModel } from './server';

async function main(): Promise<void> {
  const [file, port = '0'] = process.argv.slice(2);
  if (file === undefined) {
    console.error('usage: node main.cjs SCRIPT.json [PORT]');
    process.exitCode = 2;
    return;
  }
  const server = await startScriptedModel({ port: Number(port) });
  server.script(JSON.parse(readFileSync(file, 'utf8')) as Script);
  console.log(server.url);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
