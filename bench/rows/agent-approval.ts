import { setTimeout as sleep } from 'node:timers/promises';
import { AgentConnection } from '../../clients/device/src/agent/agent-connection';
import type { AgentSession } from '../../clients/device/src/agent/agent-session';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { median } from '../run-benchmark-row';
import { AgentMachine } from '../support/agent-machine';
import { createBenchAgentCommand } from '../support/bench-agent';
import { BenchFixture } from '../support/bench-fixture';
import { PROJECT_FOLDER } from '../support/bench-process';
import { warmUpMeasurements } from '../support/read-measurement';

const LIMIT_MS = 60;
const MESSAGES = 15;
/** A device may make 1,200 calls a minute and needs nine for such a turn. */
const PAUSE_MS = 500;
const ASKING_PROMPT = 'ask';

export const agentApprovalRow: BenchmarkRow = {
  name: 'agent-approval',
  figure: 'message to the pending request in the caller’s hands, beyond the same over the agent’s pipe, p50',
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
          relayed.push(await timeRelayedRequest(agentMachine));
          direct.push(await timeDirectRequest(session));
          await sleep(PAUSE_MS);
        }
        return median(relayed) - median(direct);
      };
      await warmUpMeasurements(3, measured);
      return { measured, peer: () => Promise.resolve(LIMIT_MS), close: benchCleanup.close };
    });
  },
};

/** Returns the ms from the message until the request can be read, and ends the turn. */
async function timeRelayedRequest(agentMachine: AgentMachine): Promise<number> {
  const startedAt = performance.now();
  const turnId = await agentMachine.requestApproval(ASKING_PROMPT);
  const ms = performance.now() - startedAt;
  await agentMachine.cancelTurn(turnId);
  return ms;
}

/** Returns the ms from the prompt to the agent's request, which is then cancelled. */
async function timeDirectRequest(session: AgentSession): Promise<number> {
  const startedAt = performance.now();
  let askedAt = NaN;
  await session.prompt(ASKING_PROMPT, {
    messageCompleted: () => undefined,
    toolCallFinished: () => undefined,
    permissionRequested: (request) => {
      askedAt = performance.now();
      request.cancel();
    },
  });
  return askedAt - startedAt;
}
