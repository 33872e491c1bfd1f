import { setTimeout as sleep } from 'node:timers/promises';
import { getBlockText, type JsonObject } from './acp';

/** Silence after which an agent has repeated all that it repeats. */
const QUIET_MS = 300;
/** How long a prompt waits for this silence. */
const MAX_WAIT_MS = 5_000;

/** Updates with which an agent repeats a conversation. The others tell the session's state. */
const REPEATED_UPDATES = new Set<unknown>([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
]);

/**
 * Tells what an agent repeats of a session that it has loaded from what it says now. Agents should repeat it before
 * they answer `session/load`, but some do so later. Until the first prompt everything is the past. After it, the past
 * begins with a message of the user that isn't the prompt, and ends with a silence: the last message that an agent
 * repeats may be the prompt.
 */
export class ReplayFilter {
  private lastPastAt = performance.now();
  private prompt: string | undefined;
  private isRepeating = false;
  private isOver = false;
  /** Consecutive pieces of a message of the user. */
  private userText = '';

  /** Resolves when the agent has been silent for a moment, or after five seconds. */
  async waitUntilQuiet(): Promise<void> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (let waitMs; (waitMs = Math.min(this.lastPastAt + QUIET_MS, deadline) - performance.now()) > 0;)
      await sleep(waitMs);
  }

  /** With the second prompt, nothing more is taken for the past. */
  beginPrompt(text: string): void {
    this.isOver = this.prompt !== undefined;
    this.prompt = text;
  }

  /** Whether to ignore the update. */
  isPast(update: JsonObject): boolean {
    if (this.isOver || !REPEATED_UPDATES.has(update.sessionUpdate)) return false;
    this.isRepeating = this.prompt === undefined || this.isRepeated(update, this.prompt);
    if (this.isRepeating) this.lastPastAt = performance.now();
    return this.isRepeating;
  }

  private isRepeated({ sessionUpdate, content }: JsonObject, prompt: string): boolean {
    const isStillRepeating = this.isRepeating && performance.now() - this.lastPastAt < QUIET_MS;
    if (sessionUpdate !== 'user_message_chunk') this.userText = '';
    else this.userText += getBlockText(content).slice(0, prompt.length + 1);
    // Some agents repeat the prompt itself before they answer.
    return isStillRepeating || !prompt.trim().startsWith(this.userText.trim());
  }
}
