import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCleanup } from '../benchmark-row';
import { AgentMachine } from '../support/agent-machine';
import { SHORT_PROMPT } from '../support/bench-agent';
import type { BenchFixture } from '../support/bench-fixture';
import { computeQuantiles, type LatencyQuantiles } from './call-recorder';

const AGENTS = 2;
/** Between two messages to the same agent. */
const PAUSE_MS = 1_000;

/** Turns of agents during the load. */
export interface TurnCounts {
  completed: number;
  /** Reasons why a message got no reply. */
  failures: string[];
  /** From a message to its reply, in ms. */
  delays: LatencyQuantiles | null;
}

/** Agents on machines of the reference device, which reply to one message after the other. */
export class AgentTurns {
  private readonly delaysMs: number[] = [];
  private readonly failures: string[] = [];
  private isStopping = false;
  private loops: Promise<void[]> = Promise.resolve([]);

  private constructor(private readonly machines: AgentMachine[]) {}

  static async startAgents(benchCleanup: BenchCleanup, benchFixture: BenchFixture): Promise<AgentTurns> {
    const machines: AgentMachine[] = [];
    for (let n = 0; n < AGENTS; n++) machines.push(benchCleanup.add(await AgentMachine.start(benchFixture)));
    return new AgentTurns(machines);
  }

  /** Sends messages until `stopMessages`. */
  sendMessages(): void {
    this.loops = Promise.all(this.machines.map((machine) => this.repeatTurns(machine)));
  }

  /** Resolves when the last messages have their replies. */
  async stopMessages(): Promise<TurnCounts> {
    this.isStopping = true;
    await this.loops;
    return { completed: this.delaysMs.length, failures: this.failures, delays: computeQuantiles(this.delaysMs) };
  }

  private async repeatTurns(machine: AgentMachine): Promise<void> {
    while (!this.isStopping) {
      const startedAt = performance.now();
      try {
        if ((await machine.requestReply(SHORT_PROMPT)) === null) this.failures.push('an answer has no reply');
        else this.delaysMs.push(performance.now() - startedAt);
      } catch (error) {
        this.failures.push((error as Error).message);
      }
      await sleep(PAUSE_MS);
    }
  }
}
