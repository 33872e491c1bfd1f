import { realpath } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { findProgram } from '../exec/find-program';
import type { ServiceDefinition } from '../service-manager/service-manager';
import { assignAgentSettings } from './agent-settings';
import type { MachineCommandOptions } from './machine-command';

/** Variables that the machine itself uses and that may contain a password. */
const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
const PLAIN_VARIABLES = ['LANG', 'LC_ALL', 'LC_CTYPE', 'NODE_EXTRA_CA_CERTS'];

/** Options that name a file or a folder. */
const PATH_FLAGS = new Set(['--cwd', '--allow-cwd', '--rules']);

/** An option of `machine` as the user gave it. */
export interface GivenOption {
  flag: string;
  /** Undefined for an option without a value. */
  text?: string;
}

export interface ServiceInput {
  /** Absolute path. */
  keyFile: string;
  addresses: { url?: string; publicUrl?: string };
  /** In their order. */
  given: readonly GivenOption[];
  options: MachineCommandOptions;
  environment: NodeJS.ProcessEnv;
  /** Absolute paths of Node.js and of this program. */
  program: readonly [string, string];
}

export interface PlannedService {
  definition: ServiceDefinition;
  /** File for {@link secrets}. */
  environmentFile: string;
  /** Variables that must not be in the service manager's file. */
  secrets: Record<string, string>;
  /** Variables of `--agent-env` that are not set. */
  missing: string[];
}

/**
 * Plans a service that runs `machine` as it would run here and now: with absolute paths, because a service manager
 * starts it in another folder and with hardly any variables.
 * @throws Error when an agent's program can't be found; UsageError when a variable isn't for one agent
 */
export async function planService(input: ServiceInput): Promise<PlannedService> {
  const { keyFile, addresses, given, options, environment } = input;
  const agentVariables = assignAgentSettings(options).flatMap(({ environmentNames }) => environmentNames);
  const names = [...agentVariables, ...PROXY_VARIABLES];
  const secrets = pickVariables(environment, names);
  const environmentFile = `${keyFile}.environment`;
  const searchPath = findSearchPath(environment);
  const [node, script] = input.program;
  const program = [await findLastingName(node, searchPath), script];
  const agents = options.agent ?? [];
  const paths = await Promise.all(agents.map(({ command }) => findAbsolute(command, searchPath)));
  let agentIndex = 0;
  const givenArgs = given.map(({ flag, text }) => {
    if (text === undefined) return flag;
    if (PATH_FLAGS.has(flag)) return `${flag}=${resolve(text)}`;
    if (flag !== '--agent') return `${flag}=${text}`;
    const command = paths[agentIndex] ?? [];
    return `${flag}=${agents[agentIndex++]?.name}=${joinCommand(command)}`;
  });
  const { url, publicUrl } = addresses;
  const args = [
    ...['machine', `--key-file=${keyFile}`],
    ...(url === undefined ? [] : [`--url=${url}`]),
    ...(publicUrl === undefined ? [] : [`--public-url=${publicUrl}`]),
    ...givenArgs,
    ...(given.some(({ flag }) => flag === '--cwd') ? [] : [`--cwd=${resolve(options.cwd)}`]),
    ...(Object.keys(secrets).length === 0 ? [] : [`--environment-file=${environmentFile}`]),
  ];
  const plain = pickVariables(environment, PLAIN_VARIABLES);
  const { NODE_EXTRA_CA_CERTS: certificates } = plain;
  if (certificates !== undefined) plain.NODE_EXTRA_CA_CERTS = resolve(certificates);
  return {
    definition: { command: [...program, ...args], environment: { PATH: searchPath, ...plain } },
    environmentFile,
    secrets,
    missing: agentVariables.filter((name) => environment[name] === undefined),
  };
}

function pickVariables(environment: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const entries = names.map((name) => [name, environment[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Leaves out relative folders, which would mean others there, and those that npm adds for the run of a script. */
function findSearchPath({ PATH = '', npm_lifecycle_event: script }: NodeJS.ProcessEnv): string {
  const folders = PATH.split(delimiter).filter((folder) => isAbsolute(folder));
  const own = folders.filter((folder) => script === undefined || !/\/node_modules\/.bin$|\/node-gyp-bin$/.test(folder));
  return [...new Set(own)].join(delimiter) || '/usr/local/bin:/usr/bin:/bin';
}

/** Returns a name of a program that stays when it is updated: package managers move the file that the name leads to. */
async function findLastingName(path: string, searchPath: string): Promise<string> {
  const file = await realpath(path).catch(() => path);
  for (const folder of searchPath.split(delimiter)) {
    const name = join(folder, basename(path));
    if ((await realpath(name).catch(() => undefined)) === file) return name;
  }
  return path;
}

async function findAbsolute([program = '', ...args]: readonly string[], searchPath: string): Promise<string[]> {
  const path = await findProgram(program, { PATH: searchPath });
  if (path === undefined)
    throw new Error(`The program "${program}" was not found. It was searched for in ${searchPath}.`);
  return [path, ...args];
}

/** The inverse of `splitCommand`. */
export const joinCommand = (words: readonly string[]): string =>
  words.map((word) => (/^[^\s'"]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`)).join(' ');
