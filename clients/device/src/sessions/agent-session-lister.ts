import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentSessionsProblem, AgentSessionSummary, Continuation } from '@external-api/protocol';
import type { AgentInfo, AgentInquiry, ListedAgentSession } from '../agent/agent-inquiry';
import type { AgentCommand, AgentSessionProvider } from '../agent/agent-session';
import { createSessionNotFoundError, requireContinuation } from '../agent/session-continuation';
import { CommandError } from '../exec/command-error';
import type { RelayMethodHandler } from '../machine/relay-request-handler';
import type { AgentSessionRegistry } from './agent-session-registry';
import type { AllowedFolders } from './allowed-folders';
import { formatCursor, parseCursor, readListedSessions, startOfList, type ListPosition } from './listed-sessions';
import { createCancelledError, toStartError } from './start-error';
import { toAgentTitle } from './title-text';

/** Part of a call's time that is left for the answer. */
const ANSWER_MARGIN_MS = 3_000;
/** How much longer an agent may take for what it was asked before the time was over. */
const GRACE_MS = 1_500;
/** Longest wait for one agent if the call names none. */
const MAX_AGENT_MS = 10_000;

export interface AgentSessionListerDependencies {
  /** At least one */
  commands: readonly AgentCommand[];
  provider: AgentSessionProvider;
  sessions: AgentSessionRegistry;
  folders: AllowedFolders;
  /** Returns the folder in which agents are asked. */
  resolveOwnFolder: () => Promise<string>;
}

interface PageLimits {
  /** Only sessions of this folder; null: all that are allowed. */
  folder: string | null;
  count: number;
  /** `performance.now()` */
  endsAt: number;
}

interface AgentPage {
  sessions: AgentSessionSummary[];
  next: ListPosition | null;
}

/** Lists the sessions that agents have themselves (docs/protocol/agents.md#sessions-of-the-terminal). */
export class AgentSessionLister {
  constructor(private readonly dependencies: AgentSessionListerDependencies) {}

  /**
   * Lists one agent after the other. What is wrong with an agent that the call doesn't name is part of the result.
   * @throws CommandError `agent_not_found`, `agent_unsupported`, `agent_auth_required`, `agent_start_failed`,
   *   `cwd_not_found`, `cwd_not_allowed`, `invalid_cursor`, `busy`, `cancelled`
   */
  readonly handleRequest: RelayMethodHandler<'agent.sessions'> = async ({ params, timeoutMs }, signal) => {
    const endsAt = performance.now() + timeoutMs - ANSWER_MARGIN_MS;
    const { agent, cwd, limit, cursor } = params;
    const folder = cwd === null ? null : await this.dependencies.folders.resolveFolder(cwd);
    const commands = this.findCommands(agent);
    let position: ListPosition | null = cursor === null ? startOfList(commands[0]!.name) : parseCursor(cursor);
    const sessions: AgentSessionSummary[] = [];
    const problems: AgentSessionsProblem[] = [];
    do {
      const index = commands.findIndex(({ name }) => name === position?.agent);
      const command = commands[index];
      if (!command) throw new CommandError('invalid_cursor', 'The cursor is one of another list.');
      const agentEndsAt = agent === null ? Math.min(endsAt, performance.now() + MAX_AGENT_MS) : endsAt;
      const limits = { folder, count: limit - sessions.length, endsAt: agentEndsAt };
      const page: AgentPage = await this.readPage(command, position, limits, signal).catch((error: CommandError) => {
        if (agent !== null || signal.aborted) throw error;
        problems.push({ agent: command.name, code: error.code, message: error.message });
        return { sessions: [], next: null };
      });
      sessions.push(...page.sessions);
      const nextCommand = commands[index + 1];
      position = page.next ?? (nextCommand ? startOfList(nextCommand.name) : null);
    } while (position && sessions.length < limit && performance.now() < endsAt);
    return { sessions, nextCursor: position && formatCursor(position), problems };
  };

  /**
   * Returns the folder of an agent's session, and its title or an empty text. An agent that can't list its sessions is
   * believed that it has this one.
   * @param endsAt `performance.now()`
   * @throws CommandError `agent_unsupported`, `agent_session_not_found`, `cwd_not_found`, `cwd_not_allowed`, `busy`,
   *   and those of an agent that can't be started
   */
  async findOrigin(
    command: AgentCommand,
    { resume, fork, cwd }: Continuation & { cwd: string | null },
    endsAt: number,
    signal: AbortSignal,
  ): Promise<{ folder: string; title: string }> {
    const { folders } = this.dependencies;
    const folder = cwd === null ? null : await folders.resolveFolder(cwd);
    const searchEndsAt = endsAt - ANSWER_MARGIN_MS;
    return this.askAgent(command, searchEndsAt, signal, async (agent) => {
      requireContinuation(agent.info, fork ? 'fork' : 'resume');
      if (!agent.info.canListSessions) return { folder: folder ?? (await folders.resolveFolder(null)), title: '' };
      for await (const { session, next } of readListedSessions(agent, folder, startOfList(command.name))) {
        if (session?.id === resume) {
          const realFolder = await folders.resolveFolder(session!.cwd);
          if (folder === null || realFolder === folder)
            return { folder: realFolder, title: toAgentTitle(session!.title) };
        }
        // Other calls wait for the agent, so it is asked for no further page.
        if (next?.offset === 0 && performance.now() >= searchEndsAt) throw createSlowError(command);
      }
      throw createSessionNotFoundError();
    });
  }

  private findCommands(name: string | null): readonly AgentCommand[] {
    const { commands } = this.dependencies;
    const found = name === null ? commands : commands.filter((command) => command.name === name);
    if (found.length === 0) throw new CommandError('agent_not_found', 'The machine has no such agent.');
    return found;
  }

  private readPage(
    command: AgentCommand,
    position: ListPosition,
    { folder, count, endsAt }: PageLimits,
    signal: AbortSignal,
  ): Promise<AgentPage> {
    return this.askAgent(command, endsAt, signal, async (agent) => {
      if (!agent.info.canListSessions)
        throw new CommandError('agent_unsupported', `The agent ${command.name} can't list its sessions.`);
      const page: AgentPage = { sessions: [], next: position };
      for await (const { session, next } of readListedSessions(agent, folder, position)) {
        const summary = session && (await this.summarize(command, agent.info, session, folder));
        if (summary) page.sessions.push(summary);
        page.next = next;
        if (page.sessions.length >= count || performance.now() >= endsAt) break;
      }
      return page;
    });
  }

  /** Returns null for a session that can't be continued here: its folder is gone, or not allowed. */
  private async summarize(
    command: AgentCommand,
    { canForkSessions: canFork }: AgentInfo,
    { id: agentSessionId, cwd, title, updatedAt }: ListedAgentSession,
    folder: string | null,
  ): Promise<AgentSessionSummary | null> {
    const { folders, sessions } = this.dependencies;
    const realFolder = await folders.resolveFolder(cwd).catch(() => null);
    if (realFolder === null || (folder !== null && realFolder !== folder)) return null;
    const sessionId = sessions.findContinuingSession(command.name, agentSessionId) ?? null;
    const agent = command.name;
    return {
      agent,
      agentSessionId,
      title: toAgentTitle(title) || null,
      cwd: realFolder,
      updatedAt,
      sessionId,
      canFork,
    };
  }

  /** An agent that is slow to start goes on starting, and the next call finds it. */
  private async askAgent<T>(
    command: AgentCommand,
    endsAt: number,
    signal: AbortSignal,
    ask: (agent: AgentInquiry) => Promise<T>,
  ): Promise<T> {
    const { provider, resolveOwnFolder } = this.dependencies;
    if (!provider.inquire)
      throw new CommandError('agent_unsupported', `The agent ${command.name} can't be asked for its sessions.`);
    const answer = provider.inquire({ command, resolveFolder: resolveOwnFolder }, ask, signal);
    const timeout = sleep(endsAt + GRACE_MS - performance.now(), undefined, { signal, ref: false }).then(() => {
      throw createSlowError(command);
    });
    try {
      return await Promise.race([answer, timeout]);
    } catch (error) {
      if (signal.aborted) throw createCancelledError();
      throw error instanceof CommandError ? error : toStartError(error as Error);
    }
  }
}

const createSlowError = ({ name }: AgentCommand): CommandError =>
  new CommandError('busy', `The agent ${name} has not answered yet. Try again in a moment.`);
