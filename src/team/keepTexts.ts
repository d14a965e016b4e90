import type { Text } from '../shared/text';
import type { TeamCommand } from './commands';

/**
 * A model's words as the session keeps them: what is too long for an event becomes a blob. A goal is short and is
 * read when prompts are built, so it stays in the event.
 */
export function keepTexts(command: TeamCommand, keep: (text: string) => Text): TeamCommand {
  const kept = (text: Text): Text => (text.type === 'inline' ? keep(text.text) : text);
  switch (command.type) {
    case 'team_add':
    case 'task':
      return { ...command, brief: kept(command.brief) };
    case 'team_send':
    case 'report':
    case 'helper_send':
      return { ...command, text: kept(command.text) };
    case 'delegate':
      return { ...command, instruction: kept(command.instruction) };
    case 'team_stop':
    case 'team_read':
    case 'todo':
    case 'helper_stop':
      return command;
  }
}
