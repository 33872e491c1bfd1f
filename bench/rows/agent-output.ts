import { setTimeout as sleep } from 'node:timers/promises';
import { AgentConnection } from '../../clients/device/src/agent/agent-connection';
import type { AgentSession } from '../../clients/device/src/agent/agent-session';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { median } from '../run-benchmark-row';
import { AgentMachine } from '../support/agent-machine';
import { createBenchAgentCommand, SHORT_PROMPT } from '../support/bench-agent';
import { BenchFixture } from '../support/bench-fixture';
import { PROJECT_FOLDER } from '../support/bench-process';
import { warmUpMeasurements } from '../support/read-measurement';

const LIMIT_MS = 20;
const MESSAGES = 20;
/** A device may make 1,200 calls a minute and needs up to six for a message. */
const PAUSE_MS = 350;

export const agentOutputRow: BenchmarkRow = {
  name: 'agent-output',
  figure: 'message to first output of an agent, beyond the same over its pipe, p50',
  against: `${LIMIT_MS} ms`,
  unit: 'ms',
  ratioGoal: { atMost: 1 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const agentMachine = benchCleanup.add(await AgentMachine.start(benchFixture));
      const connection = benchCleanup.add(await AgentConnection.start(createBenchAgentCommand(), PROJECT_FOLDER));
      const { session } = await connection.openSession({ cwd: PROJECT_FOLDER, agentSessionId: null });
      const measured = async () => {
        const [relayed, direct]: [number[], number[]] = [[], []];
        // Alternately, so that both meet the same load of the machine.
        for (let n = 0; n < MESSAGES; n++) {
          relayed.push(await timeRelayedOutput(agentMachine));
          direct.push(await timeDirectOutput(session));
          await sleep(PAUSE_MS);
        }
        return median(relayed) - median(direct);
      };
      await warmUpMeasurements(3, measured);
      return { measured, peer: () => Promise.resolve(LIMIT_MS), close: benchCleanup.close };
    });
  },
};

/**
 * Returns the ms from the request to the reply, which is the first output that a caller can observe: an agent's message
 * is neither in the history nor in an answer before the turn has ended.
 */
async function timeRelayedOutput(agentMachine: AgentMachine): Promise<number> {
  const startedAt = performance.now();
  const reply = await agentMachine.requestReply(SHORT_PROMPT);
  if (reply === null) throw new Error('an answer has no reply');
  return performance.now() - startedAt;
}

/** Returns the ms from the prompt to the agent's message. */
async function timeDirectOutput(session: AgentSession): Promise<number> {
  const startedAt = performance.now();
  let outputAt = NaN;
  await session.prompt(SHORT_PROMPT, {
    messageCompleted: () => (outputAt = performance.now()),
    toolCallFinished: () => undefined,
    permissionRequested: () => undefined,
  });
  return outputAt - startedAt;
}
