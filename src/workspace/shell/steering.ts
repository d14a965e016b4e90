import { foldName } from '../care';
import { readingCommand } from './reading';

/** Files that tell build and test tools what to run, by their folded names (A15). */
const STEERING_FILES = new Set([
  ...[
    'package.json',
    'deno.json',
    'deno.jsonc',
    'bunfig.toml',
    'composer.json',
    'mix.exs',
    'gemfile',
    'rakefile',
  ],
  ...[
    'makefile',
    'gnumakefile',
    'justfile',
    'taskfile.yml',
    'taskfile.yaml',
    'cmakelists.txt',
    'meson.build',
  ],
  ...[
    'conftest.py',
    'setup.py',
    'setup.cfg',
    'pyproject.toml',
    'pytest.ini',
    'tox.ini',
    'noxfile.py',
    'tasks.py',
  ],
  ...[
    'cargo.toml',
    'build.rs',
    'pom.xml',
    'build.gradle',
    'build.gradle.kts',
    'settings.gradle',
    'gradlew',
    'mvnw',
  ],
  ...[
    'dockerfile',
    'docker-compose.yml',
    'docker-compose.yaml',
    'compose.yml',
    'compose.yaml',
    'vagrantfile',
  ],
  ...[
    'gruntfile.js',
    'gulpfile.js',
    'gulpfile.ts',
    'jakefile.js',
    'wrapper.properties',
    'build.xml',
    'build.sbt',
  ],
]);
const STEERING_NAMES = [
  /\.mk$/,
  /\.config\.[cm]?[jt]s$/,
  /^\.[a-z]+rc(\.[a-z]+)?$/,
  /\.(gradle|bazel|cmake)$/,
];

/**
 * Whether a file may decide what a command does: the command names it (`sh check.sh`), or it is one that build and
 * test tools take their commands from. What such a file loads in its turn is not followed: an approval of a command
 * is an approval of what the project runs, and this only notices the direct ways to change that behind it.
 */
export function steering(command: string): (path: string) => boolean {
  const { words, outputs } = readingCommand(command);
  const named = new Set(without(words.map(lastName), outputs.map(lastName)));
  return (path) => {
    const name = lastName(path);
    return (
      named.has(name) || STEERING_FILES.has(name) || STEERING_NAMES.some((pattern) => pattern.test(name))
    );
  };
}

/** A name stays as often as it is there once more than in `taken`: `echo x > a.sh; sh a.sh` names what it runs. */
function without(names: readonly string[], taken: readonly string[]): readonly string[] {
  const left = [...names];
  for (const name of taken) {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

const lastName = (path: string): string => foldName(path.slice(path.lastIndexOf('/') + 1));
