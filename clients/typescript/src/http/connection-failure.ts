import { ConnectionError } from '../errors.ts';

/** Reasons why nothing was sent, by the code of Node.js. */
const UNREACHABLE: Record<string, string> = {
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: "the name can't be resolved now",
  ECONNREFUSED: 'nothing accepts connections there',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'this computer has no network',
  EADDRNOTAVAIL: 'this computer has no address for it',
  ETIMEDOUT: "it doesn't answer",
  UND_ERR_CONNECT_TIMEOUT: "it doesn't answer",
};
/** Errors of the TLS handshake, after which nothing was sent. */
const TLS = /CERT|SIGNATURE|ISSUER|^ERR_(SSL|TLS)|^EPROTO$|HOSTNAME/;
/** Calls of the system on an open connection. After a loss of the network they fail with codes of `connect`, too. */
const USE_OF_CONNECTION = /^(read|write)$/;
/** A response that was damaged on its way. */
const DAMAGED_RECORD = /^ERR_SSL_DECRYPTION_FAILED/;
/** A handshake that fails is an error of its write in some releases of Node.js. */
const FAILED_HANDSHAKE = 'EPROTO';
/** Errors that a `fetch` may throw if a forward proxy opens no connection. Their messages name the proxy. */
const PROXY = /^ERR_PROXY_/;
/** Reasons that a repetition doesn't change within seconds. */
const LASTING = /^ERR_PROXY_(SETTING|AUTHENTICATION|REFUSED)$/;
/** A name that is wrong, or one that this computer can't resolve while it has no network. */
const UNKNOWN_NAME = 'ENOTFOUND';

/** Error of a socket. */
export interface SocketFailure {
  /** Code of Node.js; empty without one. */
  code: string;
  /** Whether the connection was open, so that the request may have arrived. */
  wasConnected: boolean;
}

/**
 * Describes an error of `fetch`: the host and the reason, and `not_delivered` if no connection was established. Neither
 * the message nor the cause contains the token, whatever the error says.
 * @param hasAnswered whether the host has answered before, so that its name is right
 */
export function describeFailure(
  thrown: unknown,
  { url, isSafe }: { url: string; isSafe: boolean },
  token: string,
  hasAnswered: boolean,
): ConnectionError {
  const { host } = new URL(url);
  const { code, wasConnected } = findSocketFailure(thrown);
  const isTls = !wasConnected && TLS.test(code);
  const cause = containsText(thrown, token) ? undefined : thrown;
  // `fetch` connects to no port of other protocols, and its error has no code.
  const isBlocked = thrown instanceof Error && findMessage(thrown) === 'bad port';
  const blocked = isBlocked ? 'fetch refuses this port' : undefined;
  const proxy = PROXY.test(code) && cause instanceof Error ? findMessage(cause) : undefined;
  const unreachable = wasConnected ? undefined : UNREACHABLE[code];
  const reason = isTls ? `no secure connection (${code})` : (unreachable ?? blocked ?? proxy);
  if (reason !== undefined) {
    const isWrongName = code === UNKNOWN_NAME && !hasAnswered;
    const isLasting = isTls || isBlocked || isWrongName || LASTING.test(code);
    return new ConnectionError(`${host} can't be reached: ${reason}.`, 'not_delivered', cause, isLasting);
  }
  const detail = cause instanceof Error ? findMessage(cause) : 'unknown error';
  const message = `The connection to ${host} failed: ${detail.replace(/\.?$/, '.')}`;
  return new ConnectionError(message, isSafe ? undefined : 'unknown', cause);
}

/** Returns the innermost cause that has a code, which is the error of the socket. */
export function findSocketFailure(thrown: unknown): SocketFailure {
  if (!(thrown instanceof Error)) return { code: '', wasConnected: false };
  const inner = findSocketFailure((thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause) as unknown);
  if (inner.code !== '') return inner;
  const { code, syscall } = thrown as Error & { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string') return inner;
  const isOfUse = typeof syscall === 'string' && USE_OF_CONNECTION.test(syscall) && code !== FAILED_HANDSHAKE;
  return { code, wasConnected: isOfUse || DAMAGED_RECORD.test(code) };
}

function findMessage(error: Error): string {
  return error.cause instanceof Error ? findMessage(error.cause) : error.message;
}

function containsText(thrown: unknown, text: string): boolean {
  if (!(thrown instanceof Error)) return String(thrown).includes(text);
  const values = Object.values(thrown).filter((value) => typeof value === 'string');
  const inner = thrown instanceof AggregateError ? (thrown.errors as unknown[]) : [thrown.cause];
  return (
    [thrown.message, thrown.stack ?? '', ...values].some((value) => value.includes(text)) ||
    inner.some((each) => each !== undefined && containsText(each, text))
  );
}
