import { ConnectionError } from '../errors.ts';

/** Reasons why nothing was sent, by the code of Node.js. */
const UNREACHABLE: Record<string, string> = {
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: "the name can't be resolved now",
  ECONNREFUSED: 'nothing accepts connections there',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'this computer has no network',
  EADDRNOTAVAIL: 'this computer has no address for it',
  UND_ERR_CONNECT_TIMEOUT: "it doesn't answer",
};
/** Errors of the TLS handshake, after which nothing was sent. */
const TLS = /CERT|SIGNATURE|ISSUER|^ERR_(SSL|TLS)|^EPROTO$|HOSTNAME/;
/** Errors that a `fetch` may throw if a forward proxy opens no connection. Their messages name the proxy. */
const PROXY = /^ERR_PROXY_/;
/** Reasons that a repetition doesn't change within seconds. */
const LASTING = /^ERR_PROXY_(SETTING|AUTHENTICATION|REFUSED)$/;
/** A name that is wrong, or one that this computer can't resolve while it has no network. */
const UNKNOWN_NAME = 'ENOTFOUND';

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
  const code = findCode(thrown);
  const isTls = TLS.test(code);
  const cause = containsText(thrown, token) ? undefined : thrown;
  // `fetch` connects to no port of other protocols, and its error has no code.
  const isBlocked = thrown instanceof Error && findMessage(thrown) === 'bad port';
  const blocked = isBlocked ? 'fetch refuses this port' : undefined;
  const proxy = PROXY.test(code) && cause instanceof Error ? findMessage(cause) : undefined;
  const reason = isTls ? `no secure connection (${code})` : (UNREACHABLE[code] ?? blocked ?? proxy);
  if (reason !== undefined) {
    const isWrongName = code === UNKNOWN_NAME && !hasAnswered;
    const isLasting = isTls || isBlocked || isWrongName || LASTING.test(code);
    return new ConnectionError(`${host} can't be reached: ${reason}.`, 'not_delivered', cause, isLasting);
  }
  const detail = cause instanceof Error ? findMessage(cause) : 'unknown error';
  const message = `The connection to ${host} failed: ${detail.replace(/\.?$/, '.')}`;
  return new ConnectionError(message, isSafe ? undefined : 'unknown', cause);
}

/** Returns the code of the innermost cause, which is the error of the socket. */
function findCode(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const inner = (thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause) as unknown;
  const { code } = thrown as Error & { code?: unknown };
  return findCode(inner) || (typeof code === 'string' ? code : '');
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
