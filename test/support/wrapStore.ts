import type { SessionStore, WorkspaceStore } from '../../src/store/port';

/** The same object with some of its methods replaced; the others keep their own `this`. */
export function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (_target, key) => {
      const replaced: unknown = Reflect.get(methods, key);
      if (replaced !== undefined) return replaced;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A store whose sessions, made or opened, are wrapped. */
export function wrapSessions(
  store: WorkspaceStore,
  wrap: (session: SessionStore, id: string) => SessionStore,
): WorkspaceStore {
  return overriding(store, {
    create: async (id) => wrap(await store.create(id), id),
    open: async (id) => {
      const opened = await store.open(id);
      return { ...opened, store: wrap(opened.store, id) };
    },
  });
}
