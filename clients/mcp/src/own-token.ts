import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type ExternalApiClient, type Me } from '@external-api/client';

const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 60_000;

type Token = Me['data']['token'];

/** Record of the server's own token, which only the service knows. Hosts start servers before it can be reached. */
export class OwnToken {
  readonly #client: ExternalApiClient;
  readonly #closed: AbortSignal;
  #reading: Promise<Token> | undefined;

  /** @param closed aborts when the server is closed */
  constructor(client: ExternalApiClient, closed: AbortSignal) {
    this.#client = client;
    this.#closed = closed;
  }

  /** @throws ApiError while the service can't be asked. The next call asks again. */
  read(): Promise<Token> {
    if (!this.#reading) {
      this.#reading = this.#client.me({ signal: this.#closed }).then(({ data }) => data.token);
      this.#reading.catch(() => (this.#reading = undefined));
    }
    return this.#reading;
  }

  /** Waits for a service that can be reached. @throws ApiError if the service refuses the token */
  async readWhenReachable(): Promise<Token> {
    for (let delay = FIRST_RETRY_MS; ; delay = Math.min(2 * delay, MAX_RETRY_MS)) {
      try {
        return await this.read();
      } catch (error) {
        if (this.#closed.aborted || (error instanceof ApiError && error.code === 'invalid_token')) throw error;
      }
      await sleep(delay, undefined, { signal: this.#closed });
    }
  }
}
