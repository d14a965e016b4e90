import { isAbsolute } from 'node:path';
import { GROUP_MARK } from './processes';

/** Never passed to a command: our keys and models' keys, what steers the editor, and what makes a shell run more. */
const LEFT_OUT = [
  /^TEAMROOM_/u,
  /_API_KEY$/u,
  /^(?:OPENAI|ANTHROPIC|AZURE_OPENAI)_/u,
  /^VSCODE_/u,
  /^ELECTRON_/u,
  /^NODE_(?:OPTIONS|CHANNEL_FD|CHANNEL_SERIALIZATION_MODE)$/u,
  /^BASH_(?:ENV|FUNC_.*)$/u,
  /^(?:BASHOPTS|SHELLOPTS|ENV|PROMPT_COMMAND|CDPATH|GLOBIGNORE)$/u,
  /^(?:GIT_ASKPASS|SSH_ASKPASS|RIPGREP_CONFIG_PATH|GREP_OPTIONS|POSIXLY_CORRECT)$/u,
];

/** Nothing asks, pages or colours: nobody sits at the command. */
const FIXED: Readonly<Record<string, string>> = {
  GIT_PAGER: 'cat',
  PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_EDITOR: 'true',
  // A folder that an agent made to look like a bare repository is none, and reading starts no program (A11, A14).
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false',
  GIT_CONFIG_KEY_2: 'log.showSignature',
  GIT_CONFIG_VALUE_2: 'false',
  TERM: 'dumb',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
  CLICOLOR: '0',
};

/**
 * A command's environment. Relative entries of PATH are dropped: they would let a file in the workspace stand in for
 * `cat`.
 */
export function commandEnvironment(own: NodeJS.ProcessEnv): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || LEFT_OUT.some((pattern) => pattern.test(name))) continue;
    result[name] = value;
  }
  const path = result['PATH'];
  if (path !== undefined) {
    result['PATH'] = path
      .split(':')
      .filter((entry) => isAbsolute(entry))
      .join(':');
  }
  return { ...result, ...FIXED };
}

/**
 * The wrapper's script, run by `sh`: it waits on descriptor 3 for the word to go and then becomes the command. The
 * pipe closes if the host dies, and the wrapper ends without having run anything. `$$` is the group's number.
 */
export const WAIT_SCRIPT = [
  'IFS= read -r go <&3 || exit 125',
  '[ "$go" = go ] || exit 125',
  'exec 3<&-',
  `${GROUP_MARK}=$$; export ${GROUP_MARK}`,
  'exec "$@" 2>&1',
].join('\n');
