import { CommandError } from '../exec/command-error';
import { toObject, type JsonObject } from './acp';
import { AgentError } from './agent-error';
import type { AgentCommand } from './agent-session';
import type { ModeRule } from './agent-settings';
import { findAskingMode, isDecidingMode, type AgentModeTable } from './asking-modes';
import { createOptionRequest, toOptionText } from './config-option';
import { toDisplayedLine } from './displayed-text';
import { JsonRpcError } from './json-rpc-peer';
import {
  applyModeReport,
  createModeRequest,
  hasModes,
  listModes,
  requireMode,
  type SessionModes,
} from './session-modes';

/** How often the device asks an agent for one change of its mode before it gives up. */
const MAX_ATTEMPTS = 3;
/** How often an agent may leave its mode between two prompts. */
const MAX_DEPARTURES = 8;
const RETURN_TIMEOUT_MS = 10_000;

export interface ModeGuardDependencies {
  sessionId: string;
  modes: SessionModes;
  command: Pick<AgentCommand, 'name' | 'mode'>;
  table: AgentModeTable | undefined;
  sendRequest: (method: string, params: JsonObject) => Promise<unknown>;
  /** Tells the readers of the session. */
  addNotice: (text: string) => void;
  /** Ends an agent that decides by itself although it must not. */
  killAgent: (error: AgentError) => void;
  onChanged: () => void;
}

/** Gives one session of an agent its mode, and sets the mode back if the agent begins to decide by itself. */
export class ModeGuard {
  private rule: ModeRule | undefined;
  /** The mode that the device has set; null: none. */
  private chosenMode: string | null = null;
  /** The last mode that the agent has reported since the device asked it for one. */
  private reportedMode: string | null = null;
  private departureCount = 0;
  private returning: Promise<void> | undefined;

  constructor(private readonly dependencies: ModeGuardDependencies) {}

  /** Resolves when the agent is in a mode that it may be in, or has been killed. */
  get settled(): Promise<void> {
    return this.returning ?? Promise.resolve();
  }

  /**
   * Sets the mode of the session before a prompt.
   * @throws AgentError `agent_error`, caused by `mode_not_found` or `agent_mode_unsafe`
   */
  async applyRule(rule: ModeRule): Promise<void> {
    const isFirst = this.rule === undefined;
    await this.settled;
    const mode = this.chooseMode(rule);
    const { modes } = this.dependencies;
    this.departureCount = 0;
    // Set also if the agent says that it is set: Codex otherwise asks a model instead of the client.
    if (isFirst || mode !== modes.current) {
      const isCurrent = mode === modes.current;
      const isSet = await this.requestMode(mode, rule).catch((error: Error) => {
        if (isCurrent && error instanceof JsonRpcError) return true;
        throw error;
      });
      if (!isSet && rule.mustAsk) throw this.createUnsafeError(`The agent did not change to the mode "${mode}".`);
    }
    this.rule = rule;
    this.chosenMode = mode;
    // It may have changed its mode again meanwhile.
    this.checkMode();
    await this.settled;
  }

  /** Reads an update of the session. */
  handleReport(report: JsonObject): void {
    const { modes, onChanged } = this.dependencies;
    const isMode = applyModeReport(modes, report);
    if (isMode) this.reportedMode = modes.current;
    this.checkMode();
    if (isMode) onChanged();
  }

  private chooseMode({ callerMode, decidingCallerMode, mustAsk }: ModeRule): string | null {
    const { modes, command } = this.dependencies;
    if (callerMode !== null) {
      requireMode(modes, callerMode);
      const treatment = callerMode === command.mode || !this.isDeciding(callerMode) ? 'allow' : decidingCallerMode;
      if (treatment === 'allow') return callerMode;
      if (treatment === 'refuse')
        throw this.createUnsafeError(`The owner of the machine allows no mode such as "${callerMode}".`);
    }
    if (command.mode !== null) return command.mode;
    return mustAsk && hasModes(modes) ? this.findAskingMode() : null;
  }

  /** The agent's own choice of several modes counts, such as one of its settings. */
  private findAskingMode(): string {
    const { modes, table, command } = this.dependencies;
    if (modes.current !== null && !this.isDeciding(modes.current)) return modes.current;
    const offered = modes.available.map(({ id }) => id);
    const mode = findAskingMode(table, offered);
    if (mode !== undefined) return mode;
    throw this.createUnsafeError(
      `The agent "${command.name}" offers no mode that is known to ask before it acts. ` +
        `The owner of the machine can choose one with --agent-mode ${command.name}=MODE.`,
    );
  }

  private isDeciding(mode: string): boolean {
    return isDecidingMode(this.dependencies.table, mode);
  }

  /** Sets the mode back if the agent has left it for one in which it decides by itself. */
  private checkMode(): void {
    const { rule, chosenMode } = this;
    if (!rule?.mustAsk || this.returning) return;
    const departure = this.describeDeparture(rule, chosenMode);
    if (departure) this.returning = this.returnFrom(departure, rule).finally(() => (this.returning = undefined));
  }

  /** Returns what the agent has changed so that it decides by itself. */
  private describeDeparture(rule: ModeRule, mode: string | null): string | undefined {
    const { current, optionValues } = this.dependencies.modes;
    if (current !== null && current !== mode && this.isDeciding(current)) return `mode ${formatChange(mode, current)}`;
    const [option] = this.findUnsafeOptions(rule, mode);
    return option && `option "${option[0]}" ${formatChange(option[1], toOptionText(optionValues.get(option[0])))}`;
  }

  /** Returns the options that the agent must not have so, each with the value that it must have. */
  private findUnsafeOptions({ mustAsk }: ModeRule, mode: string | null): [id: string, value: string][] {
    const { table, modes } = this.dependencies;
    if (!mustAsk || (mode !== null && this.isDeciding(mode))) return [];
    return Object.entries(table?.askingOptions ?? {}).filter(
      ([id, value]) => (toOptionText(modes.optionValues.get(id)) ?? value) !== value,
    );
  }

  /** Never rejects. */
  private async returnFrom(departure: string, rule: ModeRule): Promise<void> {
    const { addNotice, killAgent, modes } = this.dependencies;
    const failure = new AgentError('agent_error', 'The agent left the mode in which it asks.');
    const timer = setTimeout(() => killAgent(failure), RETURN_TIMEOUT_MS);
    const left = `The agent has changed its ${departure}, so that it would decide by itself`;
    try {
      const target = this.chosenMode ?? (hasModes(modes) ? this.findAskingMode() : null);
      if (++this.departureCount > MAX_DEPARTURES || !(await this.requestMode(target, rule))) throw failure;
      this.chosenMode = target;
      addNotice(`${left}. The device has set it back.`);
    } catch {
      addNotice(`${left}. It could not be set back, so the device has ended it.`);
      killAgent(failure);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns whether the agent is in the mode. Reports may still be on their way, so it is asked again. */
  private async requestMode(mode: string | null, rule: ModeRule): Promise<boolean> {
    const { sessionId, modes, onChanged } = this.dependencies;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      this.reportedMode = null;
      if (mode !== null) await this.sendRequest(createModeRequest(sessionId, modes, mode));
      for (const [id, value] of this.findUnsafeOptions(rule, mode)) {
        const isSwitch = typeof modes.optionValues.get(id) === 'boolean';
        await this.sendRequest(createOptionRequest(sessionId, id, value, isSwitch));
      }
      if (this.reportedMode !== null && this.reportedMode !== mode) continue;
      if (this.findUnsafeOptions(rule, mode).length > 0) continue;
      modes.current = mode ?? modes.current;
      onChanged();
      return true;
    }
    return false;
  }

  /** The answer to a change of an option has all options. That of a mode is empty. */
  private async sendRequest({ method, params }: { method: string; params: JsonObject }): Promise<void> {
    const { modes, sendRequest } = this.dependencies;
    const { configOptions } = toObject(await sendRequest(method, params));
    if (applyModeReport(modes, { configOptions })) this.reportedMode = modes.current;
  }

  private createUnsafeError(reason: string): AgentError {
    const cause = new CommandError('agent_mode_unsafe', `${reason} Its modes: ${listModes(this.dependencies.modes)}.`);
    return new AgentError('agent_error', cause.message, { cause });
  }
}

const formatChange = (from: string | null, to: string | null): string =>
  `${from === null ? '' : `from "${toDisplayedLine(from)}" `}to "${toDisplayedLine(to)}"`;
