import { PagedList } from '../http/paged-list.ts';
import type { Transport } from '../http/transport.ts';
import type {
  Answers,
  CallOptions,
  DecidePermission,
  DecisionResult,
  Message,
  OptionValues,
  PermissionRequest,
  QueryOf,
  QueuedMessage,
  RelayReply,
  Session,
  SessionOptions,
  Turn,
} from '../types.ts';
import type { ContentOptions, ContentReader, PermissionContent, SessionContent } from './content.ts';
import { queueMessage, sendMessage, waitForTurn } from './send-message.ts';
import type { QueueOptions, SendOptions, SendResult, TurnWaitOptions } from './send-message.ts';

type ReadOptions = Pick<CallOptions, 'signal'>;

/** Sessions of coding agents: `client.sessions`. */
export class Sessions {
  readonly #transport: Transport;
  readonly #contents: ContentReader;

  constructor(transport: Transport, contents: ContentReader) {
    this.#transport = transport;
    this.#contents = contents;
  }

  /** Lists sessions, newest first. Scope `sessions:read`. */
  list(query?: QueryOf<'listSessions'>, options?: ReadOptions): PagedList<Session> {
    return new PagedList(this.#transport, '/sessions', query, options);
  }

  /** @throws ApiError `not_found` */
  async get(id: string, options?: ReadOptions): Promise<Session> {
    return this.#read(sessionPath(id), options);
  }

  /**
   * Reads the title and the folder of a session. Scope `sessions:content`, and a grant.
   * @throws ApiError `no_content_grant`, `grant_key_mismatch`; `not_found` also if the device has stored nothing
   * @throws SealedContentError if the key doesn't open it
   */
  content(id: string, options?: ContentOptions): Promise<SessionContent> {
    return this.#contents.readSession(id, options);
  }

  /** Lists the metadata of messages, newest first unless `order` is `asc`. `client.content` reads the texts. */
  messages(id: string, query?: QueryOf<'listMessages'>, options?: ReadOptions): PagedList<Message> {
    return new PagedList(this.#transport, `${sessionPath(id)}/messages`, query, options);
  }

  /** Lists turns, newest first: what the agent did for each message, or by itself (`origin`), with `usage` and `cost`. */
  turns(id: string, query?: QueryOf<'listTurns'>, options?: ReadOptions): PagedList<Turn> {
    return new PagedList(this.#transport, `${sessionPath(id)}/turns`, query, options);
  }

  /**
   * Returns a turn. With `wait`, waits for its end first, by the rules of {@link waitForTurn}.
   * @throws ApiError `not_found` if the device has not reported the turn, with `wait` after 30 seconds
   */
  async getTurn(id: string, turnId: string, options: TurnWaitOptions & { wait?: boolean } = {}): Promise<Turn> {
    if (options.wait) return this.waitForTurn(id, turnId, options);
    return this.#read(turnPath(id, turnId), options);
  }

  /**
   * Waits until the turn has ended: `completed`, `failed`, `cancelled` or `lost`. Restarts of the service don't end the
   * wait. With `until: 'turn.requires_action'`, a turn that waits for a decision ends it too.
   * @throws WaitTimeoutError after `timeoutMs`
   */
  waitForTurn(id: string, turnId: string, options: TurnWaitOptions = {}): Promise<Turn> {
    return waitForTurn(this.#transport, turnPath(id, turnId), options);
  }

  /** Cancels a turn and returns its state afterwards. What the agent has done stays done. */
  async cancelTurn(id: string, turnId: string, options?: CallOptions): Promise<{ state: Turn['state'] }> {
    return this.#relay(`${turnPath(id, turnId)}/cancel`, undefined, options);
  }

  /**
   * Sends a message to the session's agent. By default, resolves as soon as the device has accepted it. With `until:
   * 'turn.ended'`, waits for the end of the turn, over restarts of the service.
   *
   * To be safe against the death of this process, choose `idempotencyKey` yourself, store it, and call again with the
   * same key and text: the message is sent once.
   * @throws ApiError `session_not_active`, `session_busy`, `steer_unsupported`, `no_online_device`, `device_busy`, `device_error`, `insufficient_scope`
   * @throws WaitTimeoutError after `timeoutMs`. The turn goes on
   */
  send(id: string, text: string, options: SendOptions = {}): Promise<SendResult> {
    return sendMessage(this.#transport, sessionPath(id), text, options);
  }

  /** Stores a message for delivery when the machine is online, or at a time. Returns the ID of the queued message. */
  queue(id: string, text: string, options: QueueOptions = {}): Promise<{ queuedMessageId: string }> {
    return queueMessage(this.#transport, sessionPath(id), text, options);
  }

  queuedMessages(id: string, query?: QueryOf<'listQueuedMessages'>, options?: ReadOptions): PagedList<QueuedMessage> {
    return new PagedList(this.#transport, `${sessionPath(id)}/queued-messages`, query, options);
  }

  /** @throws ApiError `conflict` if the message is being sent, or has ended in another way */
  async cancelQueuedMessage(id: string, queuedMessageId: string, options?: ReadOptions): Promise<void> {
    const path = `${sessionPath(id)}/queued-messages/${encodeURIComponent(queuedMessageId)}`;
    await this.#transport.request('DELETE', path, options);
  }

  /** Ends the session: open turns are cancelled and the agent is stopped. The history stays. */
  async end(id: string, options?: CallOptions): Promise<{ state: 'ended' }> {
    return this.#relay(`${sessionPath(id)}/end`, undefined, options);
  }

  /**
   * Reads what the agent offers to choose: its options with the values of the next turn, and its commands.
   * @throws ApiError `device_error` with `options_unknown` if the agent has not run since its device was started
   */
  options(id: string, options?: ReadOptions): Promise<SessionOptions> {
    return this.#call('GET', `${sessionPath(id)}/options`, undefined, options);
  }

  /**
   * Chooses values of options for the next turn, all or none of them. With a mode in which the agent decides by itself,
   * the token also needs `machines:invoke`.
   * @throws ApiError `insufficient_scope`; `device_error` with `option_not_found`, `option_value_not_found`,
   *   `option_refused`, `mode_not_found` or `agent_mode_unsafe`
   */
  changeOptions(id: string, values: OptionValues, options?: ReadOptions): Promise<SessionOptions> {
    return this.#call('PATCH', `${sessionPath(id)}/options`, values, options);
  }

  /** Lists what agents ask before they use a tool, and their questions, which have no options. */
  permissionRequests(
    id: string,
    query?: QueryOf<'listPermissionRequests'>,
    options?: ReadOptions,
  ): PagedList<PermissionRequest> {
    return new PagedList(this.#transport, `${sessionPath(id)}/permission-requests`, query, options);
  }

  getPermissionRequest(id: string, permissionId: string, options?: ReadOptions): Promise<PermissionRequest> {
    return this.#read(permissionPath(id, permissionId), options);
  }

  /** Reads what an agent asks, and the `contentHash` that a decision needs. Scope `sessions:content`, and a grant. */
  permissionContent(id: string, permissionId: string, options?: ContentOptions): Promise<PermissionContent> {
    return this.#contents.readPermission(id, permissionId, options);
  }

  /**
   * Decides on a permission request. `contentHash` proves which content you were shown. With `message`, also scope
   * `sessions:write`, the result has the turn that it begins, before queued messages. A rejection cancels the turn that
   * has asked.
   * @throws ApiError `permission_not_pending` if somebody has decided, or the time is over; `conflict` if the content
   * is another one
   */
  async decide(
    id: string,
    permissionId: string,
    decision: DecidePermission,
    options?: CallOptions,
  ): Promise<DecisionResult> {
    return this.#relay(`${permissionPath(id, permissionId)}/decision`, decision, options);
  }

  /**
   * Answers a question of an agent, or declines it with null. Its form is the JSON text of {@link permissionContent}, a
   * `QuestionContent`, which comes with the `contentHash`. Scopes `sessions:approve` and `sessions:content`, and a grant.
   * `message` is that of {@link decide}.
   * @throws ApiError as `decide`; `invalid_request` if the answers don't fit the form, after which it waits on
   */
  answer(
    id: string,
    permissionId: string,
    answers: Answers | null,
    contentHash: string,
    { message, ...options }: CallOptions & { message?: string } = {},
  ): Promise<DecisionResult> {
    const decision = answers ? { answers } : { decision: 'decline' as const };
    return this.decide(
      id,
      permissionId,
      { ...decision, contentHash, ...(message !== undefined && { message }) },
      options,
    );
  }

  async #read<T>(path: string, options: ReadOptions = {}): Promise<T> {
    const { body } = await this.#transport.request<{ data: T }>('GET', path, { signal: options.signal });
    return body.data;
  }

  #relay<Result>(path: string, body: unknown, options?: CallOptions): Promise<Result> {
    return this.#call('POST', path, body, options);
  }

  async #call<Result>(
    method: 'GET' | 'PATCH' | 'POST',
    path: string,
    body: unknown,
    { signal, idempotencyKey }: CallOptions = {},
  ): Promise<Result> {
    const response = await this.#transport.request<RelayReply<Result>>(method, path, { body, signal, idempotencyKey });
    return response.body.result;
  }
}

function sessionPath(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`;
}

function turnPath(id: string, turnId: string): string {
  return `${sessionPath(id)}/turns/${encodeURIComponent(turnId)}`;
}

function permissionPath(id: string, permissionId: string): string {
  return `${sessionPath(id)}/permission-requests/${encodeURIComponent(permissionId)}`;
}
