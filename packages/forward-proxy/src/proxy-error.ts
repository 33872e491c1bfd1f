export type ProxyErrorCode =
  /** The variable doesn't name a proxy. */
  | 'ERR_PROXY_SETTING'
  /** There is no connection to the proxy, or something else answers there. */
  | 'ERR_PROXY_UNREACHABLE'
  /** The proxy demands another user name and password (407). */
  | 'ERR_PROXY_AUTHENTICATION'
  /** The proxy has accepted the request for a connection to the host, and opened none in time. */
  | 'ERR_PROXY_TIMEOUT'
  /** The proxy allows no connection to the host. */
  | 'ERR_PROXY_REFUSED'
  /** The proxy has no connection to the host now. */
  | 'ERR_PROXY_GATEWAY';

/**
 * Failure of a forward proxy, before anything was sent through it. The texts name the proxy and never its password.
 * `reason` begins with a small letter, and neither text has a final period, so that both can follow other words.
 */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  constructor(
    readonly code: ProxyErrorCode,
    readonly reason: string,
    /** What the user can do. */
    readonly hint: string,
    /** Status of the proxy's response, if there was one. */
    readonly status?: number,
  ) {
    super(`${reason}. ${hint}`);
  }
}
