/** What a document that is no file shows. */
const kinds = ['ask', 'call', 'agent', 'step'] as const;

export interface TextAddress {
  readonly session: string;
  readonly kind: (typeof kinds)[number];
  readonly id: string;
  readonly which: string;
}

/** @param path of its address */
export function parseTextPath(path: string): TextAddress | null {
  const [, session, kind, id, which] = path.split('/');
  if (session === undefined || id === undefined || which === undefined) return null;
  const known = kinds.find((each) => each === kind);
  return known === undefined ? null : { session, kind: known, id, which };
}
