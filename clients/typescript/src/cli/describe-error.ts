import { ApiError, WaitTimeoutError } from '../index.ts';
import { findSocketFailure } from '../http/connection-failure.ts';
import { CliError, EXIT, InvocationWaitError, TurnWaitError } from './errors.ts';
import { withProxyName } from './proxies.ts';

/** What the program says about a failure. */
export interface ErrorDescription {
  message: string;
  hint?: string | undefined;
  exitCode: number;
  code: string;
  outcome?: string | undefined;
  requestId?: string | undefined;
  /** The turn that may go on. */
  sessionId?: string;
  turnId?: string;
  /** The command that may go on. */
  machineId?: string;
  invocationId?: string;
}

/** Errors of the connection before anything was sent, by the code of Node.js. */
const UNREACHABLE: Record<string, string> = {
  ENOTFOUND: 'There is no host with this name.',
  EAI_AGAIN: "The name can't be resolved now. This computer may have no network.",
  ECONNREFUSED: 'Nothing accepts connections there.',
  EHOSTUNREACH: 'There is no route to it.',
  ENETUNREACH: 'This computer has no network.',
  ETIMEDOUT: "It doesn't answer.",
  UND_ERR_CONNECT_TIMEOUT: "It doesn't answer.",
};
const UNREACHABLE_HINT = 'Check the address and your network: xapi whoami --host URL';

/** Errors of TLS, of which none sends a credential. */
const TLS: Record<string, [reason: string, hint: string]> = {
  CERT_HAS_EXPIRED: ['Its certificate has expired.', "Check this computer's clock, or ask its operator to renew it."],
  CERT_NOT_YET_VALID: ['Its certificate is not valid yet.', "Check this computer's clock."],
  ERR_TLS_CERT_ALTNAME_INVALID: ['Its certificate is for another name.', 'Check the address.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ["It doesn't speak TLS.", 'Try http:// if this is your own computer.'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ["It doesn't speak TLS.", 'Try http:// if this is your own computer.'],
};
const UNTRUSTED: [reason: string, hint: string] = [
  'Its certificate is not trusted.',
  'If it is that of your company, set NODE_EXTRA_CA_CERTS to the file of its authority.',
];

const HINTS: Record<string, string> = {
  missing_token: 'Run: xapi login',
  invalid_token: 'Create a token in the console, then run: xapi login',
  machine_not_allowed: 'Use one of the machines of this token, see xapi whoami, or create another token.',
  no_content_grant: 'Share the session with this token in the console, or: xapi-device grant SESSION --token tok_…',
  no_online_device: 'Start its device (see xapi machines), or wait until it is back: --retry-for 5m',
  rate_limited: 'Try again later, or see what is left: xapi whoami',
  idempotency_key_reused: 'Use another --idempotency-key, or the same arguments as before.',
  session_not_active: 'Start a new one: xapi start MACHINE',
};

/** What a device refuses a command or a session for. */
const DEVICE_HINTS: Record<string, string> = {
  command_not_found: 'The machine has no such program.',
  permission_denied: 'The user of the device may not run it.',
  cwd_not_found: 'The folder does not exist on the machine.',
  cwd_not_allowed: 'The device does not allow this folder.',
  agent_not_found: 'The machine has no such agent: xapi machines show MACHINE',
  mode_not_found: 'The agent has no such mode.',
  attachment_unsupported: 'The device can not pass the files on to the agent.',
  option_not_found: 'See what the agent offers: xapi options SESSION',
  option_value_not_found: 'See the values: xapi options SESSION OPTION',
  options_unknown: 'A message starts the agent: xapi send SESSION "…"',
  agent_start_failed: 'Try its command on the machine, as the user of the device.',
  agent_mode_unsafe: 'The agent would decide by itself in this mode, or has none that is known to ask.',
};

/** Returns the sentence, the way out and the exit code of any failure. */
export function describeError(error: unknown, host: string | undefined): ErrorDescription {
  if (error instanceof TurnWaitError) return describeWait(error, host);
  if (error instanceof InvocationWaitError) return describeInvocationWait(error, host);
  if (error instanceof CliError) {
    const { message, hint, exitCode, code } = error;
    return { message, hint, exitCode, code };
  }
  if (error instanceof WaitTimeoutError) return { message: error.message, exitCode: EXIT.timeout, code: 'timeout' };
  if (error instanceof ApiError) return describeApiError(error, host);
  if (error instanceof TypeError && findSocketFailure(error).code !== '')
    return nameProxy(describeConnection(error, host, undefined), host);
  const message = error instanceof Error ? error.message : String(error);
  return { message: `xapi failed: ${message}`, exitCode: EXIT.failed, code: 'internal' };
}

/** The outcome of a call that reads a turn says nothing about the turn: its message was delivered before. */
function describeWait({ cause, ids }: TurnWaitError, host: string | undefined): ErrorDescription {
  const { outcome: _, hint, exitCode, ...description } = describeError(cause, host);
  const again = `The agent may work on. Wait again:\n  xapi wait ${ids.sessionId} ${ids.turnId}`;
  return {
    ...description,
    hint: hint === undefined ? again : `${hint}\n${again}`,
    exitCode: exitCode === EXIT.notDelivered ? EXIT.failed : exitCode,
    ...ids,
  };
}

/** The outcome of a call that reads output says nothing about the command, which had been started before. */
function describeInvocationWait({ cause, ids }: InvocationWaitError, host: string | undefined): ErrorDescription {
  const { message, code, requestId } = describeError(cause, host);
  const hint =
    `The command was started as ${ids.invocationId}, and may still run. ` +
    'The page of the machine in the console shows how it ended.';
  return { message, hint, exitCode: EXIT.outcomeUnknown, code, outcome: 'unknown', requestId, ...ids };
}

function describeApiError(error: ApiError, host: string | undefined): ErrorDescription {
  const { code, outcome, requestId, status } = error;
  if (status === 0) {
    const description = nameProxy(describeConnection(error, host, outcome), host);
    // The reason is that of the last attempt. An earlier one may have been delivered.
    if (outcome !== 'unknown') return description;
    return { ...description, hint: findHint(error), exitCode: EXIT.outcomeUnknown, outcome };
  }
  if (code === 'unexpected_response')
    return {
      message: withProxyName(`${host ?? 'The host'} answers, but is not External API (HTTP status ${status}).`, host),
      hint: 'Check the address, also http or https: xapi whoami --host URL',
      exitCode: outcome === 'unknown' ? EXIT.outcomeUnknown : EXIT.failed,
      code,
    };
  return {
    message: error.message,
    hint: findHint(error),
    exitCode: findExitCode(error),
    code,
    outcome,
    requestId,
  };
}

function findExitCode({ outcome, status }: ApiError): number {
  if (outcome === 'unknown') return EXIT.outcomeUnknown;
  // A limited call has not run, like one that reached no device.
  return outcome === 'not_delivered' || status === 429 ? EXIT.notDelivered : EXIT.failed;
}

function findHint({ code, outcome, problem, idempotencyKey }: ApiError): string | undefined {
  if (code === 'insufficient_scope') {
    const required = Array.isArray(problem?.required) ? problem.required.join(', ') : 'this scope';
    return `Create a token with ${required} in the console, then run: xapi login`;
  }
  if (outcome === 'unknown' && idempotencyKey)
    return `It may have run. To learn its outcome, repeat it with: --idempotency-key ${idempotencyKey}`;
  const { code: deviceCode = '', sessionId } = (problem?.deviceError ?? {}) as { code?: string; sessionId?: string };
  if (sessionId !== undefined) return `Go on in that session: xapi send ${sessionId} "…" --wait`;
  return HINTS[code] ?? DEVICE_HINTS[deviceCode];
}

function describeConnection(error: Error, host: string | undefined, outcome: string | undefined): ErrorDescription {
  const { code, wasConnected } = findSocketFailure(error);
  const place = host ?? 'the service';
  const proxy = findProxyError(error);
  if (proxy)
    return {
      message: `${place} can't be reached: ${proxy.reason}.`,
      hint: `${proxy.hint}.`,
      exitCode: EXIT.notDelivered,
      code: 'proxy',
      outcome: 'not_delivered',
    };
  const unreachable = wasConnected ? undefined : UNREACHABLE[code];
  if (unreachable)
    return {
      message: `${place} can't be reached. ${unreachable}`,
      hint: UNREACHABLE_HINT,
      exitCode: EXIT.notDelivered,
      code: 'unreachable',
      outcome: 'not_delivered',
    };
  const handshake = TLS[code] ?? (/CERT|SIGNATURE|ISSUER|^ERR_(SSL|TLS)|^EPROTO/.test(code) ? UNTRUSTED : undefined);
  const tls = wasConnected ? undefined : handshake;
  if (tls)
    return {
      message: `There is no secure connection to ${place}. ${tls[0]}`,
      hint: tls[1],
      exitCode: EXIT.notDelivered,
      code: 'tls',
      outcome: 'not_delivered',
    };
  return {
    message:
      code === '' ? `The connection to ${place} failed: ${findMessage(error)}` : `The connection to ${place} was lost.`,
    hint: 'Try again.',
    exitCode: EXIT.failed,
    code: 'connection_lost',
    outcome,
  };
}

function nameProxy(description: ErrorDescription, host: string | undefined): ErrorDescription {
  return { ...description, message: withProxyName(description.message, host) };
}

/** Returns what the forward proxy says about a failure, if it is one of the proxy. */
function findProxyError(error: Error): { reason: string; hint: string } | undefined {
  if (error.name === 'ProxyError') return error as Error & { reason: string; hint: string };
  return error.cause instanceof Error ? findProxyError(error.cause) : undefined;
}

function findMessage(error: Error): string {
  return error.cause instanceof Error ? findMessage(error.cause) : error.message;
}
