import type { TurnState, TurnUsage } from '@external-api/protocol';
import { extendWait, waitFor } from '../../support/wait-for';

/** Agents take half a minute to start on a busy machine. */
export const TURN_LIMIT_MS = 100_000;
const POLL_MS = 10_000;

export const ENDED: readonly TurnState[] = ['completed', 'failed', 'cancelled'];

export interface TriedTurn {
  id: string;
  state: TurnState;
  version: number;
  errorCode: string | null;
  usage: (TurnUsage & { cachedInputTokens?: number | null }) | null;
  origin?: 'message' | 'agent';
  requestId: string | null;
}

export interface ReadMessage {
  role: string;
  content: string;
}

/** Calls of the External API. They throw errors for other answers than 200. */
export interface ExternalApi {
  get: (path: string) => Promise<any>;
  post: (path: string, body?: object) => Promise<any>;
}

/** Session that a caller talks to, reads and decides in, as a script with a grant does. */
export class TriedSession {
  constructor(
    private readonly api: ExternalApi,
    readonly id: string,
  ) {}

  private get path(): string {
    return `/sessions/${this.id}`;
  }

  getRecord(): Promise<{ agent: { name: string; mode: string | null } }> {
    return this.api.get(this.path);
  }

  async readTitle(): Promise<string | undefined> {
    const { content } = await this.api.get(`${this.path}/content`);
    return JSON.parse(content).title;
  }

  /** Begins a turn. Returns its id. */
  async sendMessage(content: string): Promise<string> {
    const { result } = await this.api.post(`${this.path}/messages`, { content, waitMs: 0 });
    return result.turn.id;
  }

  /** Runs a turn, and decides alike on all that the agent asks. */
  async runTurn(content: string, decision: 'allow' | 'reject' = 'reject') {
    const turnId = await this.sendMessage(content);
    const asked: string[] = [];
    let turn = await this.waitForTurn(turnId, [...ENDED, 'requires_action']);
    while (turn.state === 'requires_action') {
      asked.push(await this.decide(decision));
      turn = await this.waitForTurn(turnId, [...ENDED, 'requires_action'], { afterVersion: turn.version });
    }
    return { turn, asked, messages: await this.readMessages(turnId) };
  }

  /** Waits until the turn has one of these states, or the time is up. Returns the turn as it is then. */
  async waitForTurn(
    turnId: string,
    states: readonly TurnState[] = ENDED,
    { afterVersion = 0, limitMs = TURN_LIMIT_MS } = {},
  ): Promise<TriedTurn> {
    const deadline = performance.now() + extendWait(limitMs);
    for (let version = afterVersion; ;) {
      const waitMs = Math.max(0, Math.min(POLL_MS, Math.round(deadline - performance.now())));
      const query = `waitMs=${waitMs}&afterVersion=${version}`;
      const turn: TriedTurn = await this.api.get(`${this.path}/turns/${turnId}?${query}`);
      if ((turn.version > afterVersion && states.includes(turn.state)) || waitMs === 0) return turn;
      version = turn.version;
    }
  }

  listTurns(): Promise<TriedTurn[]> {
    return this.api.get(`${this.path}/turns`);
  }

  /** Reads the messages of a turn, oldest first. */
  async readMessages(turnId: string): Promise<ReadMessage[]> {
    const path = `${this.path}/messages`;
    const messages: { id: string; role: string }[] = await this.api.get(`${path}?turnId=${turnId}&order=asc`);
    const contents = await Promise.all(messages.map(({ id }) => this.api.get(`${path}/${id}/content`)));
    return messages.map(({ role }, i) => ({ role, content: contents[i].content }));
  }

  /** Reads what the agent asks, and decides. Returns the content of the request. */
  async decide(decision: 'allow' | 'reject'): Promise<string> {
    const [pending] = await waitFor(async () => {
      const found: { id: string }[] = await this.api.get(`${this.path}/permission-requests?state=pending`);
      expect(found).not.toHaveLength(0);
      return found;
    });
    const path = `${this.path}/permission-requests/${pending!.id}`;
    const { content, contentHash } = await this.api.get(`${path}/content`);
    const { result } = await this.api.post(`${path}/decision`, { decision, contentHash });
    expect(result).toMatchObject({ state: decision === 'allow' ? 'allowed' : 'rejected' });
    return content;
  }

  async cancelTurn(turnId: string): Promise<void> {
    const { result } = await this.api.post(`${this.path}/turns/${turnId}/cancel`);
    expect(result).toEqual({ state: 'cancelled' });
  }
}

/** Returns what the messages of one role say. */
export const joinTexts = (messages: readonly ReadMessage[], role: string): string =>
  messages
    .filter((message) => message.role === role)
    .map(({ content }) => content)
    .join('\n');
