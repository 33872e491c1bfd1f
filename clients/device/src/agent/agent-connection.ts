import { ACP_VERSION, AGENT_METHODS, CLIENT_CAPABILITIES, CLIENT_METHODS, type JsonObject, toObject } from './acp';
import { AgentError } from './agent-error';
import { parseAgentInfo, parseAgentSessionPage } from './agent-answers';
import type { AgentInfo, AgentInquiry, AgentSessionPage } from './agent-inquiry';
import { DEFAULT_AGENT_LIMITS, type AgentLimits } from './agent-limits';
import { AgentProcess, type AgentExit } from './agent-process';
import type { AgentCommand, AgentSessionOrigin, AgentSessionRequest } from './agent-session';
import type { AgentSettings, ModeRule } from './agent-settings';
import { findModeTable, type AgentModeTable } from './asking-modes';
import { toDisplayedLine } from './displayed-text';
import { JSON_RPC_ERRORS, JsonRpcError } from './json-rpc-peer';
import { CANCELLED_RESPONSE } from './permission-request';
import { DECLINED_FORM } from './question-request';
import { toLoadError } from './load-error';
import { ReplayFilter } from './replay-filter';
import { ReplayRecorder } from './replay-recorder';
import { RunningSession, type RunningSessionOptions } from './running-session';
import {
  canContinue,
  createSessionNotFoundError,
  requestSession,
  requireContinuation,
  waitWhileFresh,
} from './session-continuation';
import { parseSessionModes } from './session-modes';
import { toAgentError } from './to-agent-error';

const CLIENT_INFO = { name: 'external-api-device', title: 'External API device', version: '1' };
const MAX_SESSION_ID_LENGTH = 1_024;

/** What opens a session, see {@link AgentSessionRequest}. Default: only the owner's mode counts. */
type SessionToOpen = Pick<AgentSessionRequest, 'agentSessionId' | 'agentSessionAgeMs' | 'continuation' | 'options'> & {
  cwd: string;
  modeRule?: ModeRule;
};

const OWNER_RULE: ModeRule = { callerMode: null, decidingCallerMode: 'allow', mustAsk: false };

export interface OpenedSession {
  session: RunningSession;
  origin: Exclude<AgentSessionOrigin, 'running'>;
}

/** Client side of the Agent Client Protocol, version 1, with one agent process (agentclientprotocol.com). */
export class AgentConnection implements AgentInquiry {
  private readonly sessions = new Map<string, RunningSession>();
  /** What agents repeat before they answer that they have loaded a session, by its id. */
  private readonly replays = new Map<string, ReplayRecorder>();
  /** Commands of a session that is about to open: many agents announce them once, right after their answer. */
  private earlyCommands: { sessionId: unknown; update: JsonObject } | undefined;
  private process!: AgentProcess;
  private agent!: AgentInfo;
  private modeTable: AgentModeTable | undefined;

  private constructor(
    private readonly command: AgentCommand,
    private readonly limits: AgentLimits,
  ) {}

  /** Starts the agent and initializes the connection. Aborting `signal` kills it until then. @throws AgentError */
  static async start(
    command: AgentCommand,
    cwd: string,
    { limits = DEFAULT_AGENT_LIMITS, signal }: { limits?: AgentLimits; signal?: AbortSignal } = {},
  ): Promise<AgentConnection> {
    const connection = new AgentConnection(command, limits);
    connection.process = await AgentProcess.start(command, cwd, {
      handleRequest: (method, params) => connection.handleRequest(method, toObject(params)),
      handleNotification: (method, params) => connection.handleNotification(method, toObject(params)),
      handleSkippedLine: (bytes) => connection.handleSkippedLine(bytes),
    });
    try {
      connection.agent = await connection.killOnAbort(signal, connection.initialize());
      return connection;
    } catch (error) {
      return connection.failStart(error);
    }
  }

  get info(): AgentInfo {
    return this.agent;
  }

  get isRunning(): boolean {
    return this.process.isRunning;
  }

  /** Resolves when the agent has ended. */
  get closed(): Promise<AgentExit> {
    return this.process.closed;
  }

  /** Loads the session if there is one and the agent can, else creates one, and sets its mode. @throws AgentError */
  openSession(request: SessionToOpen, signal?: AbortSignal): Promise<OpenedSession> {
    return this.killOnAbort(signal, this.loadOrCreateSession(request)).catch((error) => this.failStart(error));
  }

  async listSessions(cwd: string | null, cursor: string | null): Promise<AgentSessionPage> {
    const params = { ...(cwd !== null && { cwd }), ...(cursor !== null && { cursor }) };
    return parseAgentSessionPage(await this.callAgent(AGENT_METHODS.listSessions, params));
  }

  /** Sets mode and options of a session before its next prompt. @throws AgentError */
  applySettings(session: RunningSession, settings: AgentSettings, signal?: AbortSignal): Promise<void> {
    return this.killOnAbort(signal, this.withinStartTimeout(session.applySettings(settings)));
  }

  /** Stops the agent and all that it started. A running prompt fails with `agent_lost`. */
  async stop(): Promise<void> {
    await this.process.stop();
  }

  /** Ends the agent, and adds what it has written: that often says why it could not start. */
  private async failStart(error: unknown): Promise<never> {
    await this.stop();
    const lastErrorLines = this.process.readLastErrorLines();
    if (error instanceof AgentError && lastErrorLines) error.report = { ...error.report, lastErrorLines };
    throw error;
  }

  private async loadOrCreateSession(request: SessionToOpen): Promise<OpenedSession> {
    const { modeRule = OWNER_RULE, options, continuation } = request;
    const replayRecorder = continuation && new ReplayRecorder();
    try {
      const opened = await this.findSession(request, replayRecorder);
      await this.applySettings(opened.session, { modeRule, options });
      await opened.session.waitForReplay();
      return opened;
    } finally {
      replayRecorder?.close();
    }
  }

  /** @throws CommandError `agent_session_not_found`, `agent_unsupported` for a session that another client has begun */
  private async findSession(
    { cwd, agentSessionId, agentSessionAgeMs = 0, continuation }: SessionToOpen,
    replayRecorder: ReplayRecorder | undefined,
  ): Promise<OpenedSession> {
    if (agentSessionId !== null) {
      if (continuation) requireContinuation(this.agent, continuation);
      // The end of the agent ends the wait.
      if (this.modeTable?.losesFreshSessions)
        await Promise.race([waitWhileFresh(agentSessionAgeMs, this.limits.freshSessionMs), this.closed]);
      const session =
        continuation === 'fork'
          ? await this.forkSession(agentSessionId, cwd)
          : await this.loadSession(agentSessionId, cwd, replayRecorder);
      if (session) return { session, origin: 'loaded' };
      if (continuation) throw createSessionNotFoundError();
    }
    return { session: await this.createSession(cwd), origin: 'created' };
  }

  private async initialize(): Promise<AgentInfo> {
    const answer = await this.callAgent(AGENT_METHODS.initialize, {
      protocolVersion: ACP_VERSION,
      clientCapabilities: CLIENT_CAPABILITIES,
      clientInfo: CLIENT_INFO,
    });
    if (answer.protocolVersion !== ACP_VERSION)
      throw new AgentError('agent_error', `The agent does not offer version ${ACP_VERSION} of the protocol.`);
    this.modeTable = findModeTable(toDisplayedLine(toObject(answer.agentInfo).name), this.command.command);
    return parseAgentInfo(answer, this.command.name);
  }

  private async createSession(cwd: string): Promise<RunningSession> {
    return this.addNewSession(await this.callAgent(AGENT_METHODS.newSession, { cwd, mcpServers: [] }));
  }

  private addNewSession(answer: JsonObject): RunningSession {
    const { sessionId } = answer;
    if (typeof sessionId !== 'string' || sessionId === '' || sessionId.length > MAX_SESSION_ID_LENGTH)
      throw new AgentError('agent_error', 'The agent returned no session id.');
    return this.addSession(sessionId, answer);
  }

  /**
   * Returns undefined if the agent can't load sessions or no longer has this one.
   * @throws AgentError `agent_session_unavailable` for any other refusal, after which a later attempt may succeed
   */
  private async loadSession(
    sessionId: string,
    cwd: string,
    replayRecorder?: ReplayRecorder,
  ): Promise<RunningSession | undefined> {
    if (!canContinue(this.agent)) return undefined;
    if (replayRecorder) this.replays.set(sessionId, replayRecorder);
    const params = { sessionId, cwd, mcpServers: [] };
    const answer = requestSession(this.process.peer, this.agent, params, replayRecorder !== undefined);
    const loaded = await this.unlessUnknown(sessionId, answer).finally(() => this.replays.delete(sessionId));
    return loaded && this.addSession(sessionId, loaded, { replayFilter: new ReplayFilter(), replayRecorder });
  }

  /** Begins a copy of a session. Returns undefined if the agent has no such session. @throws AgentError */
  private async forkSession(sessionId: string, cwd: string): Promise<RunningSession | undefined> {
    const answer = this.process.peer.sendRequest(AGENT_METHODS.forkSession, { sessionId, cwd, mcpServers: [] });
    const forked = await this.unlessUnknown(sessionId, answer.then(toObject));
    if (forked?.sessionId === sessionId)
      throw new AgentError('agent_error', 'The agent returned the session that it was to copy.');
    return forked && this.addNewSession(forked);
  }

  /** Returns undefined if the agent says that it has no such session. @throws AgentError */
  private unlessUnknown(sessionId: string, answer: Promise<JsonObject>): Promise<JsonObject | undefined> {
    const known = answer.catch((error: Error) => {
      const loadError = toLoadError(error, sessionId);
      if (loadError) throw loadError;
      return undefined;
    });
    return this.withinStartTimeout(known);
  }

  private addSession(
    sessionId: string,
    answer: JsonObject,
    replay: Pick<RunningSessionOptions, 'replayFilter' | 'replayRecorder'> = {},
  ): RunningSession {
    const modes = parseSessionModes(answer);
    const { agent, process, limits, command, modeTable } = this;
    const session = new RunningSession({
      id: sessionId,
      agent,
      process,
      limits,
      modes,
      answer,
      command,
      table: modeTable,
      ...replay,
    });
    this.sessions.set(sessionId, session);
    if (this.earlyCommands?.sessionId === sessionId) session.handleUpdate(this.earlyCommands.update);
    return session;
  }

  private async callAgent(method: string, params: JsonObject): Promise<JsonObject> {
    return toObject(await this.withinStartTimeout(this.process.peer.sendRequest(method, params)));
  }

  /** Kills an agent that doesn't answer: nobody knows what it is doing. */
  private async withinStartTimeout<T>(answer: Promise<T>): Promise<T> {
    const timer = setTimeout(
      () => this.process.killGroup(new AgentError('agent_silent', 'The agent did not answer in time.')),
      this.limits.startTimeoutMs,
    );
    try {
      return await answer;
    } catch (error) {
      throw toAgentError(error as Error, this.process.readLastErrorLines());
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills the agent if `signal` is aborted before the answer. */
  private async killOnAbort<T>(signal: AbortSignal | undefined, answer: Promise<T>): Promise<T> {
    const kill = (): void => this.process.killGroup(new AgentError('agent_lost', 'The device stopped the agent.'));
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill);
    try {
      return await answer;
    } finally {
      signal?.removeEventListener('abort', kill);
    }
  }

  /** An agent may only ask: for a permission, or with a form. */
  private handleRequest(method: string, params: JsonObject): unknown {
    const session = this.sessions.get(params.sessionId as string);
    switch (method) {
      case CLIENT_METHODS.requestPermission:
        return session?.requestPermission(params) ?? CANCELLED_RESPONSE;
      case CLIENT_METHODS.createElicitation:
        return session?.askQuestion(params) ?? DECLINED_FORM;
      default:
        throw new JsonRpcError(JSON_RPC_ERRORS.methodNotFound, 'Method not found');
    }
  }

  private handleNotification(method: string, params: JsonObject): void {
    if (method !== CLIENT_METHODS.update) return;
    const { sessionId } = params;
    const update = toObject(params.update);
    const session = this.sessions.get(sessionId as string);
    if (session) return session.handleUpdate(update);
    if (update.sessionUpdate === 'available_commands_update') this.earlyCommands = { sessionId, update };
    else this.replays.get(sessionId as string)?.addUpdate(update);
  }

  /** The line may concern any session, and there is one in each process of the pool. */
  private handleSkippedLine(bytes: number): void {
    for (const session of this.sessions.values()) session.handleSkippedLine(bytes);
  }
}
