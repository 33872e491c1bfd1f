import type { OptionValues, SessionOptionsResult } from '@external-api/protocol';
import type { AgentSession } from '../agent/agent-session';
import type { OptionRequest } from '../agent/agent-settings';

export interface SessionChoicesDependencies {
  /** Values that callers have chosen, as they are stored. */
  getValues: () => OptionValues;
  saveValues: (values: OptionValues) => Promise<void>;
}

/** What callers have chosen of the options of one session's agent, until the agent itself changes it. */
export class SessionChoices {
  /** Stays after the end of its process. */
  private session: AgentSession | undefined;
  /** Values that the agent doesn't have yet. */
  private readonly waitingValues = new Map<string, string>();
  private requestedValues: OptionValues = {};

  constructor(private readonly dependencies: SessionChoicesDependencies) {}

  /** What the agent has announced last, with the values of its next turn. Undefined before it has. */
  get offer(): SessionOptionsResult | undefined {
    if (!this.session) return undefined;
    const { options, commands } = this.session.offer;
    const shown = options.map((option) => ({ ...option, value: this.waitingValues.get(option.id) ?? option.value }));
    return { options: shown, commands };
  }

  /** Whether the agent may decide by itself with this value of an option. */
  isDeciding(id: string, value: string): boolean {
    return this.session?.isDecidingValue(id, value) ?? true;
  }

  /**
   * @param isStrict whether values that the agent refuses are errors
   * @param change values that are chosen beside the stored ones
   */
  createRequest(isStrict: boolean, change: OptionValues = {}): { options?: OptionRequest } {
    this.requestedValues = { ...this.findCurrentValues(), ...change };
    return Object.keys(this.requestedValues).length > 0 ? { options: { values: this.requestedValues, isStrict } } : {};
  }

  /**
   * Stores values for the next turn.
   * @param areApplied whether the agent has them already
   * @throws Error when the key file can't be written; nothing was changed here
   */
  async chooseValues(values: OptionValues, areApplied: boolean): Promise<void> {
    const earlier = new Map(this.waitingValues);
    for (const [id, value] of Object.entries(values)) this.setWaitingValue(id, areApplied ? undefined : value);
    await this.dependencies.saveValues({ ...this.dependencies.getValues(), ...values }).catch((error: Error) => {
      for (const id of Object.keys(values)) this.setWaitingValue(id, earlier.get(id));
      throw error;
    });
  }

  /** The session of the agent has been given the values that were requested last. */
  async applySession(session: AgentSession): Promise<void> {
    this.session = session;
    const requested = new Map(Object.entries(this.requestedValues));
    for (const [id, value] of this.waitingValues) if (requested.get(id) === value) this.waitingValues.delete(id);
    await this.followAgent();
  }

  /**
   * Forgets what the agent has changed by itself or no longer offers. The mode stays the caller's, and the device sets
   * it again.
   */
  async followAgent(): Promise<void> {
    const values = this.findCurrentValues();
    if (Object.keys(values).length < Object.keys(this.dependencies.getValues()).length)
      await this.dependencies.saveValues(values);
  }

  private setWaitingValue(id: string, value: string | undefined): void {
    if (value === undefined) this.waitingValues.delete(id);
    else this.waitingValues.set(id, value);
  }

  private findCurrentValues(): OptionValues {
    const values = this.dependencies.getValues();
    if (!this.session) return values;
    const offered = new Map(this.session.offer.options.map((option) => [option.id, option]));
    const current = Object.entries(values).filter(([id, value]) => {
      const option = offered.get(id);
      return this.waitingValues.has(id) || option?.category === 'mode' || option?.value === value;
    });
    return Object.fromEntries(current);
  }
}
