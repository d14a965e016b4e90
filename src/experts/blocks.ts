import roomLead from '../../prompts/room/lead.md';
import roomMember from '../../prompts/room/member.md';
import type { Style } from '../shared/state';
import type { StyleBlocks } from './port';

const room: StyleBlocks = {
  lead: roomLead,
  member: roomMember,
  tools: {
    lead: ['team_add', 'team_send', 'team_read', 'team_stop'],
    member: ['report', 'team_send', 'team_read'],
    leading: ['team_add', 'team_stop'],
  },
};

/** What each style that can be chosen adds to the prompts. */
export const styleBlocks: Readonly<Partial<Record<Style, StyleBlocks>>> = { room };
