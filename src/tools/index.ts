import { applyPatch } from './applyPatch';
import { askUser } from './askUser';
import { bash } from './bash';
import type { Tool } from './defineTool';
import { diagnostics } from './diagnostics';
import { edit } from './edit';
import { glob } from './glob';
import { grep } from './grep';
import { jobTools } from './jobs';
import { list } from './list';
import { mkdir } from './mkdir';
import { multiedit } from './multiedit';
import { mv } from './mv';
import { read } from './read';
import { rm } from './rm';
import { todo } from './todo';
import { write } from './write';

/** The tools that are no style's, in the order in which models see them. `ask_user` is for the lead alone. */
export const workspaceTools: readonly Tool[] = [
  read,
  list,
  glob,
  grep,
  diagnostics,
  write,
  edit,
  multiedit,
  applyPatch,
  mkdir,
  mv,
  rm,
  bash,
  ...jobTools,
  todo,
  askUser,
];
