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

const ASKING_PROMPT = 'ask';

/** Delay of a message through the service and a machine, beyond the same over the agent's own pipe. */
interface AgentDelay {
  limitMs: number;
  messages: number;
  /** A device may make 1,200 calls a minute. */
  pauseMs: number;
  /** Return ms. */
  timeRelayed: (agentMachine: AgentMachine) => Promise<number>;
  timeDirect: (session: AgentSession) => Promise<number>;
}

/** A message of it takes up to six calls of the device. */
export const agentOutputRow = createRow(
  'agent-output',
  'message to first output of an agent, beyond the same over its pipe, p50',
  {
    limitMs: 20,
    messages: 20,
    pauseMs: 350,
    timeRelayed: timeRelayedOutput,
    timeDirect: timeDirectOutput,
  },
);

/** A turn of it takes nine calls of the device. */
export const agentApprovalRow = createRow(
  'agent-approval',
  'message to the pending request in the caller’s hands, beyond the same over the agent’s pipe, p50',
  { limitMs: 60, messages: 15, pauseMs: 500, timeRelayed: timeRelayedRequest, timeDirect: timeDirectRequest },
);

function createRow(name: string, figure: string, agentDelay: AgentDelay): BenchmarkRow {
  const { limitMs } = agentDelay;
  return {
    name,
    figure,
    against: `${limitMs} ms`,
    unit: 'ms',
    ratioGoal: { atMost: 1 },
    openComparison: () => {
      const benchCleanup = new BenchCleanup();
      return benchCleanup.runOrClose(async () => {
        const measured = await startMeasurement(benchCleanup, agentDelay);
        await warmUpMeasurements(3, measured);
        return { measured, peer: () => Promise.resolve(limitMs), close: benchCleanup.close };
      });
    },
  };
}

async function startMeasurement(
  benchCleanup: BenchCleanup,
  { messages, pauseMs, timeRelayed, timeDirect }: AgentDelay,
): Promise<() => Promise<number>> {
  const benchFixture = benchCleanup.add(await BenchFixture.start());
  const agentMachine = benchCleanup.add(await AgentMachine.start(benchFixture));
  const connection = benchCleanup.add(await AgentConnection.start(createBenchAgentCommand(), PROJECT_FOLDER));
  const { session } = await connection.openSession({ cwd: PROJECT_FOLDER, agentSessionId: null });
  return async () => {
    const [relayed, direct]: [number[], number[]] = [[], []];
    // Alternately, so that both meet the same load of the machine.
    for (let n = 0; n < messages; n++) {
      relayed.push(await timeRelayed(agentMachine));
      direct.push(await timeDirect(session));
      await sleep(pauseMs);
    }
    return median(relayed) - median(direct);
  };
}

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
