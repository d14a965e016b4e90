import explore from '../../prompts/experts/explore.md';
import general from '../../prompts/experts/general.md';
import type { Expert } from './port';

const READING = ['read', 'list', 'glob', 'grep', 'diagnostics'] as const;

const WRITING = ['write', 'edit', 'multiedit', 'apply_patch', 'mkdir', 'mv', 'rm'] as const;

const JOBS = ['job_list', 'job_read', 'job_send', 'job_stop'] as const;

/** The experts that come with the product: one that works, one that only reads. */
export const builtIn: readonly Expert[] = [
  {
    name: 'general',
    text: general,
    tools: [...READING, ...WRITING, 'bash', ...JOBS, 'todo'],
    mayDelegate: true,
  },
  { name: 'explore', text: explore, tools: [...READING, 'todo'], mayDelegate: false },
];
