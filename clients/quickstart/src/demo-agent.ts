import { createAgentOptions, TEST_AGENT_FILE, type AgentOptions, type NamedCommand } from '@external-api/device';

/** An agent without a model, part of the build. It does what the lines of a message say. */
const TEST_AGENT: NamedCommand = {
  name: 'test-agent',
  command: [process.execPath, TEST_AGENT_FILE],
};

/** The agent of the quickstart's machine. */
export interface DemoAgent {
  options: AgentOptions;
  /** Message of the demo, for which the agent is to use a tool. */
  prompt: string;
  /** Whether the demo allows what the agent asks. Only the test agent does what is known before. */
  isApproved: boolean;
}

/** @param command undefined: the test agent */
export function createDemoAgent(command?: NamedCommand): DemoAgent {
  const prompt = command
    ? 'Which files are in the current folder? Answer in one short sentence.'
    : 'tool 3 tests passed\nsay All tests pass.\nname A first greeting\n' +
      `edit greeting.txt Hello at ${new Date().toISOString()}`;
  return { options: createAgentOptions({ agent: [command ?? TEST_AGENT] })!, prompt, isApproved: !command };
}
