import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { AgentMachine } from '../support/agent-machine';
import { createMessagesPrompt } from '../support/bench-agent';
import { BenchFixture } from '../support/bench-fixture';
import type { BenchProcess } from '../support/bench-process';
import { warmUpMeasurements } from '../support/read-measurement';

const LIMIT_MS = 20;
const MESSAGES = 1_000;
const PROMPT = createMessagesPrompt(MESSAGES);

export const agentDeviceDelayRow = createDelayRow('device', (_, { benchProcess }) => benchProcess);
export const agentServiceDelayRow = createDelayRow('service', ({ firstInstance }) => firstInstance.benchProcess);

/** Creates the row of one process that a turn passes through. */
function createDelayRow(
  program: 'device' | 'service',
  selectProcess: (benchFixture: BenchFixture, agentMachine: AgentMachine) => BenchProcess,
): BenchmarkRow {
  return {
    name: `agent-delay-${program}`,
    figure: `event loop delay of the ${program} in a turn of 1,000 messages of 1 KiB, p99`,
    against: `${LIMIT_MS} ms`,
    unit: 'ms',
    ratioGoal: { atMost: 1 },
    maxRounds: 5,
    openComparison: () => {
      const benchCleanup = new BenchCleanup();
      return benchCleanup.runOrClose(async () => {
        const benchFixture = benchCleanup.add(await BenchFixture.start());
        const agentMachine = benchCleanup.add(await AgentMachine.start(benchFixture));
        const benchProcess = selectProcess(benchFixture, agentMachine);
        const measured = () => measureDelay(benchProcess, agentMachine);
        await warmUpMeasurements(1, measured);
        return { measured, peer: () => Promise.resolve(LIMIT_MS), close: benchCleanup.close };
      });
    },
  };
}

/** Measures from the message until the service has stored the turn's last message. */
async function measureDelay(benchProcess: BenchProcess, agentMachine: AgentMachine): Promise<number> {
  await benchProcess.watchEventLoopDelay();
  const messages = await agentMachine.runTurn(PROMPT);
  const { p99Ms } = await benchProcess.readEventLoopDelay();
  if (messages !== MESSAGES + 1) throw new Error(`the turn has ${messages} messages`);
  return p99Ms;
}
