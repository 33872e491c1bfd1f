import type { AgentCommand, AgentSessionProvider } from '../agent/agent-session';

/**
 * Returns the agents whose programs this computer has, which the machine announces. Others can still be named in a
 * call, because a program may be installed later.
 * @param onProblem is told of each other agent, and where its program was searched for
 */
export async function findStartableAgents(
  { commands, provider }: { commands: readonly AgentCommand[]; provider: AgentSessionProvider },
  onProblem: (problem: string) => void = () => undefined,
): Promise<AgentCommand[]> {
  const problems = await Promise.all(commands.map(async (command) => provider.findStartProblem?.(command)));
  problems.forEach((problem, index) => {
    if (problem) onProblem(`The agent "${commands[index]?.name}" is not offered to callers. ${problem.message}`);
  });
  return commands.filter((_, index) => !problems[index]);
}
