import { Rig, type RigOptions } from './rig';
import { transcriptOf } from './transcript';

/** Longest that one scene may take, in milliseconds. */
const SCENE_MS = 20_000;

/**
 * For the tests of one `describe`: a rig for each, ended after it. The server answers nothing that is not scripted.
 * Of a test that fails, what had happened until then is printed.
 */
export function scenes(context: Mocha.Suite): { readonly start: (options?: RigOptions) => Promise<Rig> } {
  let rig: Rig | null = null;
  context.timeout(SCENE_MS);
  context.afterEach(async function () {
    const ended = rig;
    rig = null;
    if (ended === null) return;
    if (this.currentTest?.state === 'failed' && ended.isOpen) {
      console.log(await transcriptOf(ended, ...ended.engine.sessions()));
    }
    await ended.end();
  });
  return {
    start: async (options = {}) => {
      rig = await Rig.start({ ...options, server: { strict: true, ...options.server } });
      return rig;
    },
  };
}
