import { askUser } from './askUser';
import { bash } from './bash';
import type { Tool } from './defineTool';
import { edit } from './edit';
import { glob } from './glob';
import { grep } from './grep';
import { jobTools } from './jobs';
import { list } from './list';
import { read } from './read';
import { write } from './write';

/** The tools that are no style's, in the order in which models see them. `ask_user` is for the lead alone. */
export const workspaceTools: readonly Tool[] = [
  read,
  list,
  glob,
  grep,
  write,
  edit,
  bash,
  ...jobTools,
  askUser,
];
