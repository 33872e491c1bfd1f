import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { toSpawnError } from './command-error';

const ALLOWED_VARIABLE_NAMES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMPDIR|XDG_RUNTIME_DIR)$/;

export interface SpawnCommandOptions {
  command: string;
  /** Passed as argv, without a shell. */
  args: readonly string[];
  /** Absolute path of a folder that exists. */
  cwd: string;
  /** Whether the command has standard input; otherwise it reads /dev/null. */
  hasInput: boolean;
  /** Names of the variables that the command gets besides the allowed ones. */
  environmentNames?: readonly string[];
  /** More variables. */
  variables?: Readonly<Record<string, string>>;
}

/**
 * Starts a command as the leader of its own process group, with pipes for its output.
 * @throws CommandError when it can't be started
 */
export async function spawnCommand(options: SpawnCommandOptions): Promise<ChildProcess> {
  const { command, args, cwd, hasInput, environmentNames, variables } = options;
  const env = { ...createCommandEnvironment(environmentNames), ...variables };
  let child: ChildProcess;
  try {
    child = spawn(command, args, {
      cwd,
      env,
      shell: false,
      detached: true,
      stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw toSpawnError(command, error, env.PATH);
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw toSpawnError(command, error, env.PATH);
  }
  child.on('error', () => undefined);
  return child;
}

/**
 * Returns the environment of every command: an allowlist of harmless variables, and those that the machine's user
 * named. A denylist could let secrets of the device's parent process through. The last folder of the PATH is that of
 * Node.js, which a service manager's PATH often lacks, with the agents that npm has installed beside it.
 */
export function createCommandEnvironment(
  environmentNames: readonly string[] = [],
  source: NodeJS.ProcessEnv = process.env,
  nodeFile = process.execPath,
): NodeJS.ProcessEnv {
  const allowed = Object.entries(source).filter(
    ([name]) => ALLOWED_VARIABLE_NAMES.test(name) || environmentNames.includes(name),
  );
  const variables = { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(allowed) };
  const nodeFolder = dirname(nodeFile);
  if (variables.PATH.split(delimiter).includes(nodeFolder)) return variables;
  return { ...variables, PATH: `${variables.PATH}${delimiter}${nodeFolder}` };
}
