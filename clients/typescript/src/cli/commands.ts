import type { CommandSpec } from './command-line/command-spec.ts';
import { loginCommands } from './command-groups/login-commands.ts';
import { OTHER, otherCommands } from './command-groups/other-commands.ts';
import { recordCommands } from './command-groups/record-commands.ts';
import { workCommands } from './command-groups/work-commands.ts';

const completion: CommandSpec = {
  name: 'completion',
  group: OTHER,
  summary: 'Print a completion script for your shell',
  args: [{ name: 'SHELL', description: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
  examples: ['source <(xapi completion bash)', 'xapi completion fish > ~/.config/fish/completions/xapi.fish'],
  load: async () => (await import('./commands/completion.ts')).createCompletion(root),
};

/** All commands. Each loads its module when it runs. */
export const root: CommandSpec = {
  name: 'xapi',
  summary: 'Work with the coding agents and machines of your account',
  subcommands: [...loginCommands, ...workCommands, ...recordCommands, ...otherCommands, completion],
};
