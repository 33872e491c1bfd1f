const MAX_TIMEOUT_SECONDS = 3_600;
const PERMISSION_CHOICES = ['fail', 'wait'] as const;

export interface TurnWait {
  timeoutMs: number;
  /** Whether to wait for a person to decide on what the agent asks. Otherwise the step fails at once. */
  waitsForDecisions: boolean;
}

export interface Message extends TurnWait {
  sessionId: string;
  text: string;
}

/** A session that the action starts. */
export interface Start extends TurnWait {
  /** ID or name. */
  machine: string;
  text: string;
  agent: string | undefined;
  cwd: string | undefined;
  /** Whether the session stays active after its turn. */
  keepsSession: boolean;
}

export interface Command {
  /** ID or name. */
  machine: string;
  command: [program: string, ...args: string[]];
  timeoutMs: number;
}

export interface Inputs {
  host: string;
  token: string;
  work: Message | Start | Command;
}

/** Wrong inputs of the action. Nothing was sent. */
export class InputError extends Error {}

/** Reads the inputs of the step from its environment. */
export function readInputs(env: NodeJS.ProcessEnv): Inputs {
  const { XAPI_HOST: host = '', XAPI_TOKEN = '' } = env;
  const token = XAPI_TOKEN.trim();
  if (!host || !token) throw new InputError('Set the inputs host and token.');
  if (!/^[\x21-\x7e]+$/.test(token)) throw new InputError('The token has characters that no token has.');
  return { host, token, work: readWork((name) => env[`INPUT_${name}`] ?? '') };
}

function readWork(read: (name: string) => string): Inputs['work'] {
  const [session, text, machine, command] = ['SESSION', 'MESSAGE', 'MACHINE', 'COMMAND'].map(read) as [
    string,
    string,
    string,
    string,
  ];
  const [timeout, agent, cwd] = [read('TIMEOUT'), read('AGENT') || undefined, read('CWD') || undefined];
  if (!/^[1-9]\d{0,3}$/.test(timeout) || Number(timeout) > MAX_TIMEOUT_SECONDS)
    throw new InputError(`The timeout must be from 1 to ${MAX_TIMEOUT_SECONDS} seconds.`);
  const timeoutMs = Number(timeout) * 1_000;
  const waitsForDecisions =
    readChoice('on-permission-request', read('ON_PERMISSION_REQUEST'), PERMISSION_CHOICES) === 'wait';
  const keepsSession = readChoice('keep-session', read('KEEP_SESSION'), ['false', 'true']) === 'true';
  const turn = { text, timeoutMs, waitsForDecisions };
  const isNewSession = Boolean(machine && text && !session && !command);
  if (!isNewSession && (agent ?? cwd ?? (keepsSession || undefined)) !== undefined)
    throw new InputError('agent, cwd and keep-session are for machine and message.');
  if (isNewSession) return { ...turn, machine, agent, cwd, keepsSession };
  if (session && text && !machine && !command) return { ...turn, sessionId: session };
  if (machine && command && !session && !text) return { machine, command: parseCommand(command), timeoutMs };
  throw new InputError('Set machine and message, session and message, or machine and command.');
}

/** The first choice is the default. */
function readChoice<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const found = value === '' ? choices[0] : choices.find((choice) => choice === value);
  if (found === undefined) throw new InputError(`${name} must be ${choices.join(' or ')}.`);
  return found;
}

function parseCommand(text: string): Command['command'] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Reported below, without the text.
  }
  if (!Array.isArray(parsed) || !parsed[0] || !parsed.every((part) => typeof part === 'string'))
    throw new InputError('The command must be a JSON array of strings, such as ["npm", "test"].');
  return parsed as Command['command'];
}
