import type { OptionValues, SessionCommand, SessionOptionsResult } from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import { AGENT_METHODS, toObject, type JsonObject } from './acp';
import { AgentError } from './agent-error';
import type { ModeRule, OptionRequest } from './agent-settings';
import { isDecidingOption, type AgentModeTable } from './asking-modes';
import { createOptionRequest } from './config-option';
import { toBoundedText } from './displayed-text';
import { JsonRpcError } from './json-rpc-peer';
import {
  joinOptions,
  parseCommands,
  parseConfigOptions,
  parseModels,
  toModeOption,
  type OfferedOption,
} from './offered-options';
import type { SessionModes } from './session-modes';

const MAX_REFUSAL_BYTES = 512;

export interface OptionControlDependencies {
  sessionId: string;
  /** The answer that opened the session. */
  answer: JsonObject;
  /** Kept up to date by the guard of the mode. */
  modes: SessionModes;
  table: AgentModeTable | undefined;
  sendRequest: (method: string, params: JsonObject) => Promise<unknown>;
  /** Called when the agent has answered a change, which may have changed its mode as well. */
  onAnswered: (answer: JsonObject) => void;
  /** Tells the readers of the session. */
  addNotice: (text: string) => void;
}

/** What one session of an agent offers to choose, and the choice of it, but for the mode, which has its own guard. */
export class OptionControl {
  private configOptions: OfferedOption[];
  private readonly models: OfferedOption | undefined;
  private commands: SessionCommand[] = [];
  /** What callers have changed so that the agent may decide by itself, with the agent's own values. */
  private readonly ownValues = new Map<string, string>();

  constructor(private readonly dependencies: OptionControlDependencies) {
    const { answer } = dependencies;
    this.configOptions = parseConfigOptions(answer.configOptions);
    this.models = parseModels(answer);
  }

  get offer(): SessionOptionsResult {
    return { options: this.options.map(({ setBy: _, ...option }) => option), commands: this.commands };
  }

  /** @returns whether the report is about options */
  handleReport(report: JsonObject): boolean {
    if (report.sessionUpdate === 'available_commands_update') this.commands = parseCommands(report);
    if (!Array.isArray(report.configOptions)) return false;
    this.configOptions = parseConfigOptions(report.configOptions);
    return true;
  }

  /** Whether the agent may decide by itself with this value. One that it doesn't offer counts as such. */
  isDeciding(id: string, value: string): boolean {
    const option = this.findOption(id);
    return !option || isDecidingOption(this.dependencies.table, option, value);
  }

  /** Returns the value that is chosen for the option that sets the mode. */
  findMode(values: OptionValues): string | null {
    const chosen = new Map(Object.entries(values));
    const option = this.options.find(({ id, category }) => category === 'mode' && chosen.has(id));
    return option ? (chosen.get(option.id) ?? null) : null;
  }

  /**
   * Chooses values. A strict request fails as a whole. Otherwise, readers are told what can't be chosen.
   * @throws AgentError `agent_error`, caused by `option_not_found`, `option_value_not_found`, `option_refused` or
   *   `agent_mode_unsafe`
   */
  async applyValues({ values, isStrict }: OptionRequest, rule: ModeRule): Promise<void> {
    const undo: [id: string, value: string][] = [];
    for (const [id, value] of this.sortByCategory(Object.entries(values))) {
      const earlier = this.findOption(id)?.value ?? null;
      try {
        const isChanged = await this.applyValue(id, value, rule);
        if (isChanged && earlier !== null) undo.unshift([id, earlier]);
      } catch (error) {
        if (!(error instanceof AgentError && error.cause instanceof CommandError)) throw error;
        if (!isStrict) {
          this.dependencies.addNotice(error.message);
          continue;
        }
        for (const [changedId, before] of undo) await this.setValue(changedId, before).catch(() => undefined);
        throw error;
      }
    }
  }

  private get options(): OfferedOption[] {
    const { modes } = this.dependencies;
    const hasModeOption = this.configOptions.some(({ category }) => category === 'mode');
    const options = joinOptions(...this.configOptions, this.models, hasModeOption ? undefined : toModeOption(modes));
    // What the guard of the mode knows is newer.
    return options.map((option) =>
      option.category === 'mode' ? { ...option, value: modes.current ?? option.value } : option,
    );
  }

  private findOption(id: string): OfferedOption | undefined {
    return this.options.find((option) => option.id === id);
  }

  /** The model decides which values the other options have. */
  private sortByCategory(values: [id: string, value: string][]): [id: string, value: string][] {
    const isModel = ([id]: [string, string]): boolean => this.findOption(id)?.category === 'model';
    return [...values.filter(isModel), ...values.filter((each) => !isModel(each))];
  }

  /** Returns whether the value was changed. */
  private async applyValue(id: string, wanted: string, rule: ModeRule): Promise<boolean> {
    const option = this.findOption(id);
    if (!option) throw createOptionError('option_not_found', `The agent has no option "${id}".`);
    if (option.category === 'mode') return false;
    const value = this.limitValue(option, wanted, rule);
    if (value === option.value) return false;
    if (!option.values.some((each) => each.value === value)) {
      const text = `The option "${id}" of the agent has no value "${value}". It is "${option.value}".`;
      throw createOptionError('option_value_not_found', text);
    }
    await this.setValue(id, value);
    const { value: current } = this.findOption(id) ?? {};
    if (current === value) return true;
    throw createOptionError('option_refused', `The agent did not change its option "${id}" to "${value}".`);
  }

  /** Returns what the option may be: for a prompt of an app, what it was before a caller chose to be asked less. */
  private limitValue({ id, category, value }: OfferedOption, wanted: string, rule: ModeRule): string {
    const { table } = this.dependencies;
    if (!isDecidingOption(table, { id, category }, wanted)) return wanted;
    if (rule.decidingCallerMode === 'ignore') return this.ownValues.get(id) ?? value ?? wanted;
    const isGuarded = rule.mustAsk && table?.askingOptions?.[id] !== undefined;
    if (rule.decidingCallerMode === 'refuse' || isGuarded) {
      const text = `The agent could decide by itself with the value "${wanted}" of its option "${id}". `;
      throw createOptionError('agent_mode_unsafe', text + (isGuarded ? 'Choose a mode instead.' : REFUSED));
    }
    if (value !== null && !this.ownValues.has(id)) this.ownValues.set(id, value);
    return wanted;
  }

  private async setValue(id: string, value: string): Promise<void> {
    const { sessionId, sendRequest, onAnswered } = this.dependencies;
    const { setBy, type } = this.findOption(id) ?? {};
    const isModel = setBy === 'model';
    const { method, params } = isModel
      ? { method: AGENT_METHODS.setModel, params: { sessionId, modelId: value } }
      : createOptionRequest(sessionId, id, value, type === 'boolean');
    const answer = await sendRequest(method, params).catch((error: unknown) => {
      if (!(error instanceof JsonRpcError)) throw error;
      const reason = toBoundedText(error.message, MAX_REFUSAL_BYTES);
      throw createOptionError('option_refused', `The agent refused the value "${value}" of "${id}": ${reason}`);
    });
    if (isModel && this.models) this.models.value = value;
    onAnswered({ configOptions: toObject(answer).configOptions });
  }
}

const REFUSED = 'The owner of the machine allows no such choice.';

function createOptionError(code: ConstructorParameters<typeof CommandError>[0], message: string): AgentError {
  return new AgentError('agent_error', message, { cause: new CommandError(code, message) });
}
