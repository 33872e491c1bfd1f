import { PagedList } from '../http/paged-list.ts';
import type { Transport } from '../http/transport.ts';
import type {
  AgentSessionPage,
  CallOptions,
  InvokeCommand,
  InvokeResult,
  Machine,
  QueryOf,
  RelayReply,
  StartedSession,
  StartSession,
} from '../types.ts';
import { Invocations } from './invocations.ts';

/** Machines of the account: `client.machines`. */
export class Machines {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists machines, newest first. Scope `machines:read`. */
  list(query?: QueryOf<'listMachines'>, options?: Pick<CallOptions, 'signal'>): PagedList<Machine> {
    return new PagedList(this.#transport, '/machines', query, options);
  }

  /** @throws ApiError `not_found` */
  async get(id: string, options: Pick<CallOptions, 'signal'> = {}): Promise<Machine> {
    const { signal } = options;
    const { body } = await this.#transport.request<{ data: Machine }>('GET', machinePath(id), { signal });
    return body.data;
  }

  /**
   * Runs a command of up to 28 seconds and returns its output. The program gets exactly these arguments; there is no
   * shell. {@link invocations} runs longer ones. Scope `machines:invoke`.
   * @throws ApiError `no_online_device`, `device_busy`; `device_error` if it can't be started; `timeout`,
   * `device_disconnected` with the outcome `unknown`: it may have run
   */
  invoke(id: string, command: InvokeCommand, options?: CallOptions): Promise<InvokeResult> {
    return this.#relay(`${machinePath(id)}/invoke`, command, options);
  }

  /**
   * Starts an agent in a new session. With `content`, the session begins with this message. With `grant: true`, this
   * token can read the session through the service, which can then decrypt it. With `resume`, it continues a session of
   * {@link listAgentSessions}, or with `fork` a copy of it. Scope `machines:invoke`, with `grant` also
   * `sessions:content`.
   * @throws ApiError `invalid_request` at `/grant`, `/resume` or `/options` for a device that can't do it; `device_error`, whose
   *   `deviceError` names the `sessionId` if a session continues it already; `no_online_device`; `device_busy` if the
   *   machine runs as many agents as it may
   */
  start(id: string, session: StartSession = {}, options?: CallOptions): Promise<StartedSession> {
    return this.#relay(`${machinePath(id)}/sessions`, session, options);
  }

  /**
   * Returns a page of the sessions that the agents of the machine have themselves, also those of the terminal. Scope
   * `machines:invoke`.
   * @throws ApiError `no_online_device`, also for a device that can't list them; `device_error`; `device_busy`
   */
  async listAgentSessions(
    id: string,
    query?: QueryOf<'listAgentSessions'>,
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<AgentSessionPage> {
    const path = `${machinePath(id)}/agent-sessions`;
    const { body } = await this.#transport.request<RelayReply<AgentSessionPage>>('GET', path, { query, signal });
    return body.result;
  }

  /** Commands of up to an hour on this machine. */
  invocations(id: string): Invocations {
    return new Invocations(this.#transport, machinePath(id));
  }

  async #relay<Result>(path: string, body: unknown, options: CallOptions = {}): Promise<Result> {
    const { signal, idempotencyKey } = options;
    const response = await this.#transport.request<RelayReply<Result>>('POST', path, { body, signal, idempotencyKey });
    return response.body.result;
  }
}

function machinePath(id: string): string {
  return `/machines/${encodeURIComponent(id)}`;
}
