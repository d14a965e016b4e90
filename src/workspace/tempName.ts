/** How the temporary files begin that a write puts beside its target for a moment: nobody is to see them. */
export const TEMP_PREFIX = '.teamroom-writing-';
