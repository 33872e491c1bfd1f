import type { OptionValues } from '@external-api/protocol';

export interface AgentMode {
  id: string;
  name: string;
}

/** How the mode of a session is chosen: the caller's, else that of the agent's command, else one that asks. */
export interface ModeRule {
  /** The mode that the caller has chosen who started the session, or null. */
  callerMode: string | null;
  /** What becomes of a caller's mode in which the agent decides by itself. The owner's is always allowed. */
  decidingCallerMode: 'allow' | 'ignore' | 'refuse';
  /** Whether the agent must leave decisions to the device, unless the owner or the caller has chosen otherwise. */
  mustAsk: boolean;
}

/** Values that callers have chosen for options of the agent. */
export interface OptionRequest {
  values: OptionValues;
  /** Whether one that can't be chosen is an error, since nobody knows yet that the agent offers it. */
  isStrict: boolean;
}

/** Mode and options of a session, for its next prompt. */
export interface AgentSettings {
  modeRule: ModeRule;
  /** Absent: no caller has chosen any. */
  options?: OptionRequest;
}
