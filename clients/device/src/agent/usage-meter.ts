import {
  CURRENCY_PATTERN,
  MAX_COST_AMOUNT,
  type SessionContext,
  type TurnCost,
  type TurnUsage,
} from '@external-api/protocol';
import { isInteger, isText } from '../untrusted-values';
import { toObject, type JsonObject } from './acp';
import type { TurnUse } from './agent-session';

/** Agents whose answer to a prompt counts that turn only. The protocol has it count all turns of the session. */
const COUNTS_EACH_TURN = /claude|codex|opencode/i;

const MEMBERS = ['inputTokens', 'outputTokens', 'totalTokens', 'cachedInputTokens'] as const;

/** Amounts are rounded to a billionth: differences of binary fractions are not exact. */
const AMOUNT_PRECISION = 1e9;

/** Counts what the turns of one session use in one agent process, from everything that agents say about it. */
export class UsageMeter {
  private context: SessionContext | null = null;
  private lastUsage: TurnUsage | null = null;
  private lastCost: TurnCost | null = null;
  private usage: TurnUsage | null = null;
  private cost: TurnCost | null = null;

  constructor(private readonly agentName: string) {}

  /** Usage of the running turn, or of the last one. */
  get turnUse(): TurnUse {
    return { usage: this.usage, cost: this.cost, context: this.context };
  }

  beginTurn(): void {
    this.usage = null;
    this.cost = null;
  }

  /** Outside of a turn too: what a session has cost when it begins is not the cost of the next turn. */
  handleUpdate(update: JsonObject): void {
    if (update.sessionUpdate === 'usage_update') {
      this.context = parseContext(update) ?? this.context;
      this.addCost(parseCost(update.cost));
      return;
    }
    // Qwen Code reports each answer of the model with an empty part of a message.
    const used = update.sessionUpdate === 'agent_message_chunk' ? parseUsage(toObject(update._meta).usage) : null;
    if (used) this.usage = combineUsage(this.usage ?? createNoUsage(), used, (sum, value) => sum + value);
  }

  /** @param answer what the agent answered to the prompt */
  endTurn(answer: JsonObject): void {
    const reported = parseUsage(answer.usage);
    // Gemini CLI counts each turn, but says so in a place of its own.
    this.usage = reported ? this.subtractEarlierTurns(reported) : (parseQuota(answer._meta) ?? this.usage);
  }

  /** A report that shrinks is the first of a new sum. */
  private subtractEarlierTurns(reported: TurnUsage): TurnUsage {
    const last = this.lastUsage;
    this.lastUsage = reported;
    const hasGrown = last !== null && MEMBERS.every((member) => (reported[member] ?? 0) >= (last[member] ?? 0));
    if (!hasGrown || reported.totalTokens === last.totalTokens || COUNTS_EACH_TURN.test(this.agentName))
      return reported;
    return combineUsage(reported, last, (value, lastValue) => value - lastValue);
  }

  /** Agents report what the session has cost so far. A report that shrinks is the first of a new sum. */
  private addCost(reported: TurnCost | null): void {
    if (!reported) return;
    const { amount, currency } = reported;
    const last = this.lastCost?.currency === currency ? this.lastCost.amount : 0;
    const earlier = this.cost?.currency === currency ? this.cost.amount : 0;
    const sum = earlier + (amount >= last ? amount - last : amount);
    this.lastCost = reported;
    this.cost = { amount: Math.min(Math.round(sum * AMOUNT_PRECISION) / AMOUNT_PRECISION, MAX_COST_AMOUNT), currency };
  }
}

/** Returns null unless input and output are counts. Agents may leave out the total. */
function parseUsage(value: unknown): TurnUsage | null {
  const { inputTokens, outputTokens, totalTokens, cachedReadTokens } = toObject(value);
  if (!isInteger(inputTokens, 0) || !isInteger(outputTokens, 0)) return null;
  const total = totalTokens ?? inputTokens + outputTokens;
  if (!isInteger(total, 0)) return null;
  const cachedInputTokens = isInteger(cachedReadTokens, 0) ? cachedReadTokens : null;
  return { inputTokens, outputTokens, totalTokens: total, cachedInputTokens };
}

function parseQuota(meta: unknown): TurnUsage | null {
  const counts = toObject(toObject(toObject(meta).quota).token_count);
  return parseUsage({ inputTokens: counts.input_tokens, outputTokens: counts.output_tokens });
}

function parseContext({ used, size }: JsonObject): SessionContext | null {
  return isInteger(used, 0) && isInteger(size, 0) ? { used, size } : null;
}

function parseCost(value: unknown): TurnCost | null {
  const { amount, currency } = toObject(value);
  const isAmount = typeof amount === 'number' && amount >= 0 && amount <= MAX_COST_AMOUNT;
  return isAmount && isText(currency) && CURRENCY_PATTERN.test(currency) ? { amount, currency } : null;
}

const createNoUsage = (): TurnUsage => ({ inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedInputTokens: null });

/** A count that only one of both has is that one's. */
function combineUsage(a: TurnUsage, b: TurnUsage, combine: (a: number, b: number) => number): TurnUsage {
  const add = (x: number, y: number): number => Math.min(combine(x, y), Number.MAX_SAFE_INTEGER);
  const [cachedA = null, cachedB = null] = [a.cachedInputTokens, b.cachedInputTokens];
  return {
    inputTokens: add(a.inputTokens, b.inputTokens),
    outputTokens: add(a.outputTokens, b.outputTokens),
    totalTokens: add(a.totalTokens, b.totalTokens),
    cachedInputTokens: cachedA === null || cachedB === null ? (cachedA ?? cachedB) : add(cachedA, cachedB),
  };
}
