import {
  buildDeltaBinding,
  buildMessageBinding,
  buildMetadataBinding,
  generateDataKey,
  sealContent,
  type DataKey,
  type SealedDataKey,
} from '@external-api/protocol';
import { ServiceError, UnreachableError } from '../lib/api-client';
import { toPublicJwk } from '../lib/keys';
import { generateContentJwk } from '../lib/sealed-key';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { DeltaRecord, MessageRecord, SessionRecord, TurnRecord } from '../content/records';
import { SessionLoader } from './session-loader';

const ACCOUNT_ID = 'acc_1';
const SESSION = { id: 'ses_1', tag: 'tag', version: 1 };

/** Service with one session, whose records a test changes. */
class ScriptedService {
  readonly calls: string[] = [];
  /** Of the next calls, one each; null for a success. */
  readonly errors: (Error | null)[] = [];
  /** What responses wait for. */
  held: Promise<void> = Promise.resolve();
  session!: SessionRecord;
  messages: MessageRecord[] = [];
  turns: TurnRecord[] = [];
  /** On the second page. */
  earlierTurns: TurnRecord[] = [];

  readonly api = {
    getRecord: (path: string) => this.respond(path, () => ({ ...this.session, lastSeq: this.messages.length })),
    getPage: (path: string, { cursor }: { cursor?: string }) =>
      this.respond(path, () =>
        cursor
          ? { data: this.earlierTurns, nextCursor: null }
          : { data: this.turns, nextCursor: this.earlierTurns.length > 0 ? 'earlier' : null },
      ),
    getAll: (path: string, { afterSeq, beforeSeq }: { afterSeq: number; beforeSeq: number }) =>
      this.respond(`${path}?${afterSeq}-${beforeSeq}`, () =>
        this.messages.filter(({ seq }) => seq > afterSeq && seq < beforeSeq),
      ),
  } as unknown as AccountApi;

  private respond(path: string, read: () => unknown): Promise<unknown> {
    this.calls.push(path.replace(/^.*ses_1/, ''));
    const error = this.errors.shift();
    return this.held.then(() => (error ? Promise.reject(error) : read()));
  }
}

describe('the loader of a session', () => {
  let keys: AccountKeys;
  let dataKey: DataKey & SealedDataKey;
  let service: ScriptedService;
  let loader: SessionLoader;
  let isLoading = false;
  type Lists = Record<'texts' | 'turns' | 'knownTurns' | 'deltas', string[]>;
  let shown: Lists & { title: string; problem: unknown };

  const seal = (text: string, place: Parameters<typeof sealContent>[2]) =>
    sealContent({ mediaType: 'text/plain; charset=utf-8', bytes: Buffer.from(text) }, dataKey, place);
  const addMessage = async (text: string, turnId: string | null = null) => {
    const seq = service.messages.length + 1;
    const localId = `m-${seq}`;
    const content = await seal(text, buildMessageBinding(ACCOUNT_ID, 'tag', localId, 'user'));
    const message = { id: `msg_${seq}`, seq, localId, role: 'user', turnId, content };
    service.messages.push(message as MessageRecord);
  };
  const createLoader = (accountKeys: AccountKeys | null) =>
    new SessionLoader(service.api, accountKeys, 'ses_1', {
      onSession: (_session, title) => (shown.title = title),
      onWindow: ({ messages }) =>
        (shown.texts = messages.map(({ body }) => (body.kind === 'text' ? body.text : body.kind))),
      onTurns: (newest, known) => {
        shown.turns = newest.map(({ state }) => state);
        shown.knownTurns = [...known.keys()];
      },
      onDelta: (_delta, text) => shown.deltas.push(text),
      onLoading: (loading) => (isLoading = loading),
      onProblem: (error) => (shown.problem = error),
    });
  /** Waits for decryption, which runs in threads, beside the timers. */
  const settle = async (isDone: () => boolean) => {
    while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
  };
  const advance = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms);
    await settle(() => !isLoading);
  };

  beforeAll(async () => {
    keys = { accountId: ACCOUNT_ID, contentKey: await generateContentJwk() };
    dataKey = await generateDataKey(toPublicJwk(keys.contentKey));
  });
  beforeEach(async () => {
    service = new ScriptedService();
    const metadata = await seal('{"title":"build box"}', buildMetadataBinding(ACCOUNT_ID, 'tag', 1));
    service.session = { ...SESSION, metadata, dataKey } as unknown as SessionRecord;
    service.turns = [{ id: 'turn_1', state: 'running' } as TurnRecord];
    shown = { title: '', texts: [], problem: null, turns: [], knownTurns: [], deltas: [] };
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    loader = createLoader(keys);
  });
  afterEach(() => {
    loader.stop();
    jest.useRealTimers();
  });

  it('decrypts the title and the messages, and reads only new messages after an event', async () => {
    await addMessage('one');
    loader.refresh();
    await advance(100);
    expect(shown).toMatchObject({ title: 'build box', texts: ['one'], turns: ['running'], problem: null });
    await addMessage('two');
    loader.handleEvent({ cursor: 'c', type: 'message.created', data: {} });
    await advance(700);
    expect(shown.texts).toEqual(['one', 'two']);
    expect(service.calls.slice(3)).toEqual(['', '/messages?1-3']);
  });

  it('shows the tag and no text without keys', async () => {
    await addMessage('one');
    loader = createLoader(null);
    loader.refresh();
    await advance(100);
    expect(shown).toMatchObject({ title: 'tag', texts: ['unreadable'] });
  });

  it('reads once for many events, and turns only after an event of a turn', async () => {
    loader.refresh();
    await advance(100);
    service.calls.length = 0;
    for (let i = 0; i < 10; i++) loader.handleEvent({ cursor: 'c', type: 'message.created', data: {} });
    await advance(700);
    expect(service.calls).toEqual(['']);
    loader.handleEvent({ cursor: 'c', type: 'turn.ended', data: {} });
    await advance(700);
    expect(service.calls).toEqual(['', '', '/turns']);
  });

  it('reads once more for all events during a slow read', async () => {
    loader.refresh();
    await advance(100);
    service.calls.length = 0;
    let respond: () => void = () => undefined;
    service.held = new Promise<void>((resolve) => (respond = resolve));
    for (let i = 0; i < 10; i++) {
      loader.handleEvent({ cursor: 'c', type: 'message.created', data: {} });
      await jest.advanceTimersByTimeAsync(700);
    }
    await addMessage('one');
    respond();
    await settle(() => !isLoading);
    expect(service.calls).toEqual(['', '/messages?0-2', '']);
    expect(shown.texts).toEqual(['one']);
  });

  it('knows the turns of all messages that it shows', async () => {
    service.turns = [];
    service.earlierTurns = [{ id: 'turn_0' } as TurnRecord];
    await addMessage('one', 'turn_0');
    loader.refresh();
    await advance(100);
    expect(shown.knownTurns).toEqual(['turn_0']);
  });

  it('repeats a read that failed, with the turns, and shows no problem after that', async () => {
    service.errors.push(new UnreachableError());
    loader.refresh();
    await advance(100);
    expect(shown.problem).toBeInstanceOf(UnreachableError);
    await addMessage('one');
    await advance(6_000);
    expect(shown).toMatchObject({ texts: ['one'], turns: ['running'], problem: null });
  });

  it('begins with the last messages also after they could not be read at first', async () => {
    for (let i = 1; i <= 102; i++) await addMessage(`message ${i}`);
    // The session and its turns arrive, its messages don't.
    service.errors.push(null, null, new UnreachableError());
    loader.refresh();
    await advance(100);
    expect(shown.problem).toBeInstanceOf(UnreachableError);
    service.calls.length = 0;
    await advance(6_000);
    expect(service.calls).toEqual(['', '/turns', '/messages?2-103']);
    expect(shown.texts).toHaveLength(100);
  });

  it('reads only the last messages if more are new than the page holds', async () => {
    await addMessage('one');
    loader.refresh();
    await advance(100);
    service.calls.length = 0;
    for (let seq = 2; seq <= 1_002; seq++)
      service.messages.push({ seq, localId: `m-${seq}`, role: 'user', turnId: null, content: '' } as MessageRecord);
    loader.handleEvent({ cursor: 'c', type: 'message.created', data: {} });
    await advance(700);
    expect(service.calls).toEqual(['', '/messages?902-1003']);
    expect(shown.texts).toHaveLength(100);
  });

  it('does not repeat a read that would fail again, and reads nothing after it was stopped', async () => {
    service.errors.push(new ServiceError(404, {}), new ServiceError(404, {}));
    loader.refresh();
    await advance(20_000);
    expect(service.calls).toHaveLength(2);
    loader.refresh();
    loader.stop();
    loader.refresh();
    await advance(20_000);
    expect(service.calls).toHaveLength(2);
  });

  it('passes on live text in its order, and drops parts that do not decrypt or whose message is stored', async () => {
    await addMessage('stored');
    loader.refresh();
    await advance(100);
    const toDelta = async (text: string, localId: string, n: number, change: object = {}) => {
      const content = await seal(text, buildDeltaBinding(ACCOUNT_ID, 'tag', localId, n));
      return { cursor: null, type: 'delta', data: { localId, n, content, ...change } as DeltaRecord };
    };
    loader.handleEvent(await toDelta('Hel', 'm-9', 0));
    loader.handleEvent(await toDelta('forged', 'm-9', 1, { n: 7 }));
    loader.handleEvent(await toDelta('lo', 'm-9', 2));
    loader.handleEvent(await toDelta('stored', 'm-1', 0));
    loader.handleEvent(await toDelta('!', 'm-9', 3));
    await settle(() => shown.deltas.includes('!'));
    expect(shown.deltas).toEqual(['Hel', 'lo', '!']);
  });
});
