/** Why a token is requested: at the first call, or because the service has refused the last one. */
export interface TokenRequest {
  reason: 'initial' | 'expired';
}

/** A token, or a function that returns one. Calls at the same time share one run of the function. */
export type Token = string | ((request: TokenRequest) => string | Promise<string>);

/** The credential of a client. Concurrent calls that need a new token wait for one refresh. */
export class TokenSource {
  readonly #token: Token;
  #current: string | undefined;
  #pending: Promise<string> | undefined;

  constructor(token: Token) {
    this.#token = typeof token === 'string' ? requireToken(token) : token;
    if (typeof token === 'string') this.#current = token;
  }

  getToken(): Promise<string> {
    if (this.#pending) return this.#pending;
    return this.#current === undefined ? this.#request('initial') : Promise.resolve(this.#current);
  }

  /** Returns whether another token than the refused one is to be had. The first call to notice starts the refresh. */
  async refresh(refused: string): Promise<boolean> {
    if (typeof this.#token === 'string') return false;
    const isCurrent = !this.#pending && this.#current === refused;
    return (await (isCurrent ? this.#request('expired') : this.getToken())) !== refused;
  }

  #request(reason: TokenRequest['reason']): Promise<string> {
    const request = async () => {
      this.#current = typeof this.#token === 'string' ? this.#token : requireToken(await this.#token({ reason }));
      return this.#current;
    };
    // A function that throws at once has ended before this assignment.
    this.#pending = request().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }
}

/** Refuses what no header can contain. The error of `fetch` would contain the token. @throws TypeError */
function requireToken(token: string): string {
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('The token is empty or has characters that no token has.');
  return token;
}
