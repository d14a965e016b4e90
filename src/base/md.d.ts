/** A prompt or another text that is bundled as it is. */
declare module '*.md' {
  const text: string;
  export default text;
}
