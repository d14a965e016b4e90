import type { RuleTest } from '../support';
import { deliveryRules } from './delivery';
import { helperRules } from './helpers';
import { jobRules } from './jobs';
import { memberRules } from './members';
import { sizeRules } from './size';
import { stoppingRules } from './stopping';
import { talkRules } from './talk';
import { workRules } from './work';

/** The rules L that style `room` holds, each as a test of the pure parts. */
export const roomRules: readonly RuleTest[] = [
  ...sizeRules,
  ...memberRules,
  ...talkRules,
  ...workRules,
  ...deliveryRules,
  ...stoppingRules,
  ...helperRules,
  ...jobRules,
];
