/** The whole driver of a real VS Code, for scripts that load it as one bundle. */

export * from './electronSuite';
export * from './hostSuite';
export * from './hostTests';
export * from './install';
export * from './palette';
export * from './processes';
export * from './rehearse';
export * from './sample';
export * from './screenshot';
export * from './server';
export * from './views';
export * from './window';
