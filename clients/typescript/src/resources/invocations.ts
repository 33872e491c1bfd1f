import { EventConnection } from '../events/event-stream.ts';
import { PagedList } from '../http/paged-list.ts';
import type { Transport } from '../http/transport.ts';
import { waitForRecord, type WaitOptions } from '../http/wait-for-record.ts';
import type { CallOptions, Invocation, QueryOf, RelayReply, StartInvocation } from '../types.ts';
import { decodeBase64 } from './content.ts';
import { followOutput, type OutputChunk, type OutputPage } from './follow-output.ts';

const ENDED: readonly Invocation['state'][] = ['completed', 'cancelled', 'timed_out', 'failed', 'lost'];

export interface OutputOptions extends Pick<CallOptions, 'signal'> {
  /** Default: `stdout`. */
  stream?: 'stdout' | 'stderr' | undefined;
  /** Position of the first byte in all that the command has written. Default: 0. */
  offset?: number | undefined;
  /** Bytes, at most 262,144. */
  limit?: number | undefined;
}

/** Commands of up to an hour on one machine: `client.machines.invocations(id)`. Scope `machines:invoke`. */
export class Invocations {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, machinePath: string) {
    this.#transport = transport;
    this.#path = `${machinePath}/invocations`;
  }

  list(query?: QueryOf<'listInvocations'>, options?: Pick<CallOptions, 'signal'>): PagedList<Invocation> {
    return new PagedList(this.#transport, this.#path, query, options);
  }

  /**
   * Starts a command, and resolves when it runs.
   * @throws ApiError `no_online_device`; `device_busy` with 8 running ones; `device_error` if it can't be started
   */
  async start(command: StartInvocation, options: CallOptions = {}): Promise<Invocation> {
    const { signal, idempotencyKey } = options;
    const request = { body: command, signal, idempotencyKey };
    const { body } = await this.#transport.request<{ data: Invocation }>('POST', this.#path, request);
    return body.data;
  }

  /** @throws ApiError `not_found` */
  async get(invocationId: string, options: Pick<CallOptions, 'signal'> = {}): Promise<Invocation> {
    const { body } = await this.#transport.request<{ data: Invocation }>('GET', this.#pathOf(invocationId), {
      signal: options.signal,
    });
    return body.data;
  }

  /**
   * Waits until the command has ended: `completed`, `cancelled`, `timed_out`, `failed` or `lost`. Restarts of the
   * service don't end the wait.
   * @throws WaitTimeoutError after `timeoutMs`. The command goes on
   */
  wait(invocationId: string, options: WaitOptions<Invocation> = {}): Promise<Invocation> {
    const isDone = ({ state }: Invocation) => ENDED.includes(state);
    return waitForRecord<Invocation>(this.#transport, this.#pathOf(invocationId), isDone, options);
  }

  /** Reads a part of the output from the device, which keeps the last 4 MiB of each stream for 24 hours. */
  async output(invocationId: string, options: OutputOptions = {}): Promise<OutputPage> {
    const { signal, ...query } = options;
    const path = `${this.#pathOf(invocationId)}/output`;
    const { body } = await this.#transport.request<RelayReply<Omit<OutputPage, 'bytes'> & { data: string }>>(
      'GET',
      path,
      { query, signal },
    );
    const { data, ...page } = body.result;
    return { ...page, bytes: decodeBase64(data) };
  }

  /**
   * Reads all output of a command as it is written, both streams, each in its order, until the command has ended.
   * Output that the live stream drops is read from the device.
   */
  follow(invocationId: string, options: Pick<CallOptions, 'signal'> = {}): AsyncGenerator<OutputChunk, void> {
    const connection = new EventConnection(this.#transport, `${this.#pathOf(invocationId)}/events`, {}, options);
    return followOutput(connection.readAll(), (request) => this.output(invocationId, { ...request, ...options }));
  }

  /** Ends the command and all processes of its group. Returns the state afterwards. */
  async cancel(invocationId: string, options: CallOptions = {}): Promise<Record<string, unknown>> {
    const { signal, idempotencyKey } = options;
    const path = `${this.#pathOf(invocationId)}/cancel`;
    const { body } = await this.#transport.request<RelayReply<Record<string, unknown>>>('POST', path, {
      signal,
      idempotencyKey,
    });
    return body.result;
  }

  #pathOf(invocationId: string): string {
    return `${this.#path}/${encodeURIComponent(invocationId)}`;
  }
}
