import { untilAborted } from '../http/abort.ts';
import { PagedList } from '../http/paged-list.ts';
import type { Transport } from '../http/transport.ts';
import type { Artifact, CallOptions, Me, Message, PlaintextContent, SealedContent, Session } from '../types.ts';
import { openSealedContent, SealedContentError, type Place, type PrivateJwk } from './sealed-content.ts';

export interface ContentOptions extends Pick<CallOptions, 'signal'> {
  /** Your private key, if the content was granted to a key of yours. Then the service can't read the text. */
  key?: PrivateJwk | undefined;
}

export interface Content {
  id: string;
  sessionId: string | null;
  mediaType: string;
  bytes: Uint8Array;
  /** The bytes as UTF-8. */
  text: string;
  grantId: string;
  /** Whether the service has decrypted the content (`plaintext`), or this client. */
  encoding: 'plaintext' | 'sealed';
}

/** What the device of a session has encrypted about it, as JSON in `text`. */
export interface SessionContent extends Content {
  /** First line of the first message, the agent's title, or what the user chose; null if the device says none. */
  title: string | null;
  /** Folder that the agent works in; null if the device says none. */
  cwd: string | null;
}

export interface PermissionContent extends Content {
  /** Names this content in a decision. */
  contentHash: string;
}

type ContentBody = (PlaintextContent | SealedContent) & { contentHash?: string };

/** Reads content, and decrypts what is sealed to a key of the caller. */
export class ContentReader {
  readonly #transport: Transport;
  #accountId: Promise<string> | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  readMessage(sessionId: string, message: string | Message, options: ContentOptions = {}): Promise<Content> {
    const id = typeof message === 'string' ? message : message.id;
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages/${encodeURIComponent(id)}/content`;
    return this.#read(path, options, async () => {
      const [account, session, record] = await Promise.all([
        this.#getAccountId(options),
        this.#get<Session>(`/sessions/${encodeURIComponent(sessionId)}`, options),
        typeof message === 'string' ? this.#findMessage(sessionId, id, options) : message,
      ]);
      const svc = { a: account, s: session.tag, l: record.localId, r: record.role };
      return { keyId: record.keyId, svc };
    });
  }

  /** The record of a session doesn't tell the version of its metadata. */
  async readSession(id: string, options: ContentOptions = {}): Promise<SessionContent> {
    const path = `/sessions/${encodeURIComponent(id)}`;
    const content = await this.#read(`${path}/content`, options, async () => {
      const [account, session] = await Promise.all([this.#getAccountId(options), this.#get<Session>(path, options)]);
      return { keyId: null, svc: { a: account, s: session.tag, m: null } };
    });
    return { ...content, ...readMembers(content.text) };
  }

  /** The record of a permission request tells neither its local ID nor its key. The hash names the content. */
  async readPermission(sessionId: string, id: string, options: ContentOptions = {}): Promise<PermissionContent> {
    const sessionPath = `/sessions/${encodeURIComponent(sessionId)}`;
    const path = `${sessionPath}/permission-requests/${encodeURIComponent(id)}/content`;
    const content = await this.#read(path, options, async () => {
      const [account, session] = await Promise.all([
        this.#getAccountId(options),
        this.#get<Session>(sessionPath, options),
      ]);
      return { keyId: null, svc: { a: account, s: session.tag, p: null } };
    });
    return content as PermissionContent;
  }

  readArtifact(id: string, options: ContentOptions = {}): Promise<Content> {
    const path = `/artifacts/${encodeURIComponent(id)}`;
    return this.#read(`${path}/content`, options, async () => {
      const [account, record] = await Promise.all([this.#getAccountId(options), this.#get<Artifact>(path, options)]);
      return { keyId: record.keyId, svc: { a: account, t: record.tag, v: record.version } };
    });
  }

  /** @param readPlace reads from records where a sealed text must belong */
  async #read(path: string, options: ContentOptions, readPlace: () => Promise<Place>): Promise<Content> {
    const query = { encoding: options.key ? 'sealed' : undefined };
    const { signal } = options;
    const { body } = await this.#transport.request<{ data: ContentBody }>('GET', path, { query, signal });
    const { data } = body;
    const { id, sessionId, grantId, encoding } = data;
    const own = {
      id,
      sessionId,
      grantId,
      encoding,
      ...('contentHash' in data ? { contentHash: data.contentHash } : {}),
    };
    if (data.encoding === 'plaintext') {
      const { content, contentEncoding, mediaType } = data;
      const bytes = contentEncoding === 'base64' ? decodeBase64(content) : new TextEncoder().encode(content);
      return { ...own, mediaType, bytes, text: decodeText(bytes) };
    }
    if (!options.key)
      throw new SealedContentError('key_required', 'The content was granted to a key of yours. Pass it as `key`.');
    if (data.contentHash !== undefined) await checkHash(data.content, data.contentHash);
    const opened = await openSealedContent(data, options.key, await readPlace());
    return { ...own, ...opened, text: decodeText(opened.bytes) };
  }

  /** Calls at the same time share one request, which the signal of one of them must not cancel for the others. */
  #getAccountId({ signal }: ContentOptions): Promise<string> {
    const load = async () => {
      const { body } = await this.#transport.request<Me>('GET', '/me');
      return body.data.account.id;
    };
    this.#accountId ??= load().catch((error: unknown) => {
      this.#accountId = undefined;
      throw error;
    });
    return untilAborted(this.#accountId, signal);
  }

  async #get<T>(path: string, { signal }: ContentOptions): Promise<T> {
    return (await this.#transport.request<{ data: T }>('GET', path, { signal })).body.data;
  }

  /** The API has no route for the record of one message. */
  async #findMessage(sessionId: string, id: string, { signal }: ContentOptions): Promise<Message> {
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages`;
    for await (const message of new PagedList<Message>(this.#transport, path, { limit: 200 }, { signal })) {
      if (message.id === id) return message;
    }
    throw new SealedContentError('misplaced', 'The session has no record of this message.');
  }
}

async function checkHash(jwe: string, contentHash: string): Promise<void> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(jwe)));
  const hash = btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '');
  if (hash !== contentHash) throw new SealedContentError('misplaced', 'contentHash is that of other content.');
}

/** Devices write the JSON, so it may be any. */
function readMembers(text: string): { title: string | null; cwd: string | null } {
  const read = (value: unknown) => (typeof value === 'string' ? value : null);
  try {
    const { title, cwd } = (JSON.parse(text) ?? {}) as { title?: unknown; cwd?: unknown };
    return { title: read(title), cwd: read(cwd) };
  } catch {
    return { title: null, cwd: null };
  }
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Decodes base64 of binary content and output. */
export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
