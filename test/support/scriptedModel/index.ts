export { type Reaction, reacting } from './reacting';
export type { RequestRecord } from './record';
export * from './script';
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './server';
