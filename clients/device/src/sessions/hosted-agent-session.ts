import { isDeepStrictEqual } from 'node:util';
import { openContent, type OptionValues, type RelayCaller, sealContent, truncateText } from '@external-api/protocol';
import type {
  AgentCommand,
  AgentSession,
  AgentSessionLease,
  AgentSessionRequest,
  UnpromptedWorkReceiver,
} from '../agent/agent-session';
import type { ModeRule } from '../agent/agent-settings';
import { toDisplayedLine } from '../agent/displayed-text';
import type { TurnPrompt } from '../attachments/turn-prompt';
import type { StoredAgentSession } from '../device-state';
import type { HostedSession, SessionHistory } from '../history/session-history';
import type { LiveOutputRequests } from '../live/live-output-requests';
import { SessionDeltas } from '../live/session-deltas';
import { SessionProgress } from '../live/session-progress';
import type { ServerClock } from '../machine/server-clock';
import { choosePermissionPolicy, isTrustedCaller, type PermissionPolicy } from '../permissions/permission-policy';
import type { AllowedFolders } from './allowed-folders';
import { SessionChoices } from './session-choices';
import { SessionTitle, type SessionTitleDependencies } from './session-title';

const TEXT_MEDIA_TYPE = 'text/plain; charset=utf-8';
/** Media type of prompts with attachments. Earlier releases have only texts. */
const PROMPT_MEDIA_TYPE = 'application/json';
/** Maximum length of the agent's title in the record of a session. */
const MAX_TITLE_LENGTH = 128;
const MAX_MODE_LENGTH = 64;
/** An agent that changes its mode again and again is shown as it is after this time. */
const SHOW_DELAY_MS = 300;
/** How old the stored time of the last turn may be. More exact times would write the key file at every turn. */
const ACTIVITY_PRECISION_MS = 60 * 60 * 1_000;

export interface HostedAgentSessionDependencies extends SessionTitleDependencies {
  clock: ServerClock;
  liveOutput: LiveOutputRequests;
  /** The machine's option; undefined: `ask`. */
  permissionPolicy: PermissionPolicy | undefined;
  /** Whether the machine has rules. An agent that doesn't ask would not follow them. */
  hasRules: boolean;
  /** Whether callers may choose no mode in which an agent decides by itself. */
  locksMode: boolean;
  /** Learns what an agent says about itself and its modes. */
  onAgentSeen: (command: AgentCommand, session: AgentSession) => void;
}

/** A session that this device hosts and an agent works in. */
export class HostedAgentSession {
  /** What the agent writes, for those who read it at the same time. */
  readonly deltas: SessionDeltas;
  /** What else it does. */
  readonly progress: SessionProgress;
  /** Gets what the agent does without a prompt. */
  unpromptedWorkReceiver: UnpromptedWorkReceiver = () => undefined;
  /** Options of the agent. */
  readonly choices: SessionChoices;
  private readonly title: SessionTitle;
  private writtenAgent = '';
  private showTimer: NodeJS.Timeout | undefined;
  private lastWrite: Promise<void> = Promise.resolve();

  /**
   * @param command the agent of the session
   * @param folders those that the session's folder must be in
   */
  constructor(
    readonly history: SessionHistory,
    private readonly command: AgentCommand,
    private readonly stored: StoredAgentSession,
    private readonly folders: AllowedFolders,
    private readonly dependencies: HostedAgentSessionDependencies,
  ) {
    this.deltas = new SessionDeltas(history.session, dependencies);
    this.progress = new SessionProgress(history.session, dependencies);
    this.choices = new SessionChoices({
      getValues: () => this.stored.options ?? {},
      saveValues: (options) => this.saveChange({ options }),
    });
    this.title = new SessionTitle(history.session, dependencies, async () => {
      if (this.stored.isUntitled) await this.saveChange({ isUntitled: false });
    });
  }

  get id(): string {
    return this.history.sessionId;
  }

  get hosted(): HostedSession {
    return this.history.session;
  }

  get cwd(): string {
    return this.stored.cwd;
  }

  /**
   * Returns the folder as it is now, with its links resolved. It may have been deleted, or replaced with a link to
   * another one, since the session was started.
   * @throws CommandError `cwd_not_found`, `cwd_not_allowed`, `internal`
   */
  resolveFolder(): Promise<string> {
    return this.folders.resolveFolder(this.stored.cwd);
  }

  /** Unix ms in server time */
  get lastActiveAt(): number {
    return this.stored.lastActiveAt;
  }

  /** Whether this is, or becomes, the agent's session of this id. A copy of it is another one. */
  isSessionOfAgent(agentName: string, agentSessionId: string): boolean {
    const { continues } = this.stored;
    const ownId = continues?.isFork === false ? continues.agentSessionId : this.stored.agentSessionId;
    return this.command.name === agentName && ownId === agentSessionId;
  }

  /** Whether the agent had this session in an earlier process. */
  get isKnownToAgent(): boolean {
    return this.stored.agentSessionId !== null;
  }

  /**
   * Remembers who prompts the agent. What an app has said stays in the agent's context, and what it began may still run
   * in the next turn.
   */
  async recordCaller(caller: RelayCaller | null): Promise<void> {
    if (!isTrustedCaller(caller) && !this.stored.hasUntrustedPrompt)
      await this.saveChange({ hasUntrustedPrompt: true });
  }

  /** Whether only callers that may run commands have prompted the agent. */
  get isTrusted(): boolean {
    return !this.stored.hasUntrustedPrompt;
  }

  /** @param caller the one who prompts the agent next; absent if nobody does yet */
  createRequest(caller?: RelayCaller | null): AgentSessionRequest {
    const request = this.createBareRequest(caller === undefined || isTrustedCaller(caller));
    // A value that the agent has taken once may be gone later, and must not stop the session.
    return { ...request, ...this.choices.createRequest(this.stored.agentSessionId === null) };
  }

  /** Returns the request of a caller who chooses values of options. */
  createChoiceRequest(values: OptionValues): AgentSessionRequest {
    return { ...this.createBareRequest(true), ...this.choices.createRequest(true, values) };
  }

  /** Whether callers may choose a mode in which the agent decides by itself. It is not for apps. */
  get allowsDecidingModes(): boolean {
    return !this.dependencies.locksMode && this.isTrusted;
  }

  /** Whether this mode is the owner's own choice. */
  isOwnersMode(mode: string): boolean {
    return this.command.mode === mode;
  }

  private createBareRequest(isCallerTrusted: boolean): AgentSessionRequest {
    const { agentSessionId, continues } = this.stored;
    const modeRule = this.createModeRule(isCallerTrusted);
    const request = { command: this.command, resolveFolder: () => this.resolveFolder(), modeRule };
    // The time of the last turn is that of the first one for an hour.
    const agentSessionAgeMs = this.dependencies.clock.now() - this.stored.lastActiveAt;
    if (!continues) return { ...request, agentSessionId, agentSessionAgeMs };
    return { ...request, agentSessionId: continues.agentSessionId, continuation: continues.isFork ? 'fork' : 'resume' };
  }

  /** The first message gives the session its title, until the agent has another one. */
  nameByMessage(text: string): void {
    if (this.stored.isUntitled) this.title.nameByMessage(text);
  }

  /** Apps may not run commands, so a mode in which the agent decides, which a caller has chosen, isn't for them. */
  private createModeRule(isCallerTrusted: boolean): ModeRule {
    const { permissionPolicy, hasRules, locksMode } = this.dependencies;
    const isTrusted = this.isTrusted && isCallerTrusted;
    return {
      callerMode: this.stored.mode,
      decidingCallerMode: locksMode ? 'refuse' : isTrusted ? 'allow' : 'ignore',
      mustAsk: hasRules || choosePermissionPolicy(permissionPolicy, isTrusted, true) !== 'allow',
    };
  }

  /** Remembers the agent's session for the next start, and shows the agent in the session's record. */
  async applyLease({ session }: AgentSessionLease): Promise<void> {
    session.receiveUnpromptedWork(this.unpromptedWorkReceiver);
    // Before the session counts as opened: after a failure in between, it is opened and read again.
    if (this.stored.continues) await this.history.appendReplay(session.readReplay?.() ?? []);
    const process = await session.identifyProcess?.();
    const isNew = this.stored.agentSessionId !== session.id;
    const now = this.dependencies.clock.now();
    if (isNew || now >= this.stored.lastActiveAt + ACTIVITY_PRECISION_MS)
      await this.saveChange({ agentSessionId: session.id, lastActiveAt: now, continues: undefined, process });
    else if (!isDeepStrictEqual(process, this.stored.process)) await this.saveChange({ process });
    await this.choices.applySession(session);
    session.onModesReported = () => {
      this.showTimer ??= setTimeout(() => this.showAgent(session), SHOW_DELAY_MS).unref();
    };
    session.onTitled = (title) => this.title.nameByAgent(title);
    this.showAgent(session);
  }

  /** Nothing waits for it, because the record is for display only. */
  private showAgent(session: AgentSession): void {
    clearTimeout(this.showTimer);
    this.showTimer = undefined;
    const { onAgentSeen, onProblem } = this.dependencies;
    onAgentSeen(this.command, session);
    this.choices.followAgent().catch((error: Error) => onProblem(`The key file can't be written: ${error.message}`));
    const { name, title } = session.agent;
    const agent = {
      name: this.command.name,
      title: truncateText(title ?? name, MAX_TITLE_LENGTH),
      mode: truncateText(toDisplayedLine(session.currentMode), MAX_MODE_LENGTH) || null,
    };
    this.lastWrite = this.lastWrite.then(() => this.writeAgent(agent));
  }

  /** Resolves when the service has the agent and the title for the session's record, or has rejected them. */
  async waitUntilShown(): Promise<void> {
    clearTimeout(this.showTimer);
    await Promise.all([this.lastWrite, this.title.close()]);
  }

  /** Encrypts a message for the journal. */
  sealPrompt(requestId: string, prompt: TurnPrompt): Promise<string> {
    const content =
      prompt.attachments.length === 0
        ? { mediaType: TEXT_MEDIA_TYPE, bytes: Buffer.from(prompt.text) }
        : { mediaType: PROMPT_MEDIA_TYPE, bytes: Buffer.from(JSON.stringify(prompt)) };
    return sealContent(content, this.hosted.dataKey, this.createPromptBinding(requestId));
  }

  /** @throws ContentError when the journal was modified */
  async openPrompt({ requestId, prompt }: { requestId: string; prompt: string }): Promise<TurnPrompt> {
    const place = this.createPromptBinding(requestId);
    const { mediaType, bytes } = await openContent(prompt, this.hosted.dataKey, place);
    const text = Buffer.from(bytes).toString();
    return mediaType === PROMPT_MEDIA_TYPE ? (JSON.parse(text) as TurnPrompt) : { text, attachments: [] };
  }

  /** Undoes a change that can't be written, so that the next turn tries again. @throws Error such as ENOSPC */
  private async saveChange(change: Partial<StoredAgentSession>): Promise<void> {
    const names = Object.keys(change) as (keyof StoredAgentSession)[];
    const earlier = Object.fromEntries(names.map((name) => [name, this.stored[name]]));
    Object.assign(this.stored, change);
    await this.dependencies.device.saveState().catch((error: Error) => {
      Object.assign(this.stored, earlier);
      throw error;
    });
  }

  private createPromptBinding(requestId: string) {
    return { a: this.hosted.accountId, s: this.hosted.tag, j: requestId };
  }

  /** Never rejects: a failure doesn't stop the turn, and the next one writes the agent again. */
  private async writeAgent(agent: { name: string; title: string; mode: string | null }): Promise<void> {
    const { device, capabilities, onProblem } = this.dependencies;
    const text = JSON.stringify(agent);
    if (text === this.writtenAgent || !capabilities.areTurnsAccepted) return;
    try {
      await device.callApi('PATCH', `/v1/sessions/${encodeURIComponent(this.id)}`, { agent });
      this.writtenAgent = text;
    } catch (error) {
      onProblem(`The session's agent can't be written: ${(error as Error).message}`);
    }
  }
}
