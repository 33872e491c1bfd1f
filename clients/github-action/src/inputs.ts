const MAX_TIMEOUT_SECONDS = 3_600;

export interface Message {
  sessionId: string;
  text: string;
  timeoutMs: number;
}

export interface Command {
  machineId: string;
  command: [program: string, ...args: string[]];
  timeoutMs: number;
}

export interface Inputs {
  host: string;
  token: string;
  work: Message | Command;
}

/** Wrong inputs of the action. Nothing was sent. */
export class InputError extends Error {}

/** Reads the inputs of the step from its environment. */
export function readInputs(env: NodeJS.ProcessEnv): Inputs {
  const { XAPI_HOST: host = '', XAPI_TOKEN = '' } = env;
  const [session, message, machine, command, timeout] = ['SESSION', 'MESSAGE', 'MACHINE', 'COMMAND', 'TIMEOUT'].map(
    (name) => env[`INPUT_${name}`] ?? '',
  ) as [string, string, string, string, string];
  const token = XAPI_TOKEN.trim();
  if (!host || !token) throw new InputError('Set the inputs host and token.');
  if (!/^[\x21-\x7e]+$/.test(token)) throw new InputError('The token has characters that no token has.');
  if (!/^[1-9]\d{0,3}$/.test(timeout) || Number(timeout) > MAX_TIMEOUT_SECONDS)
    throw new InputError(`The timeout must be from 1 to ${MAX_TIMEOUT_SECONDS} seconds.`);
  const timeoutMs = Number(timeout) * 1_000;
  if (session && message && !machine && !command)
    return { host, token, work: { sessionId: session, text: message, timeoutMs } };
  if (machine && command && !session && !message)
    return { host, token, work: { machineId: machine, command: parseCommand(command), timeoutMs } };
  throw new InputError('Set session and message, or machine and command.');
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
