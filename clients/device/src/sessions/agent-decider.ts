import { findAskingMode, findModeTable, isDecidingMode } from '../agent/asking-modes';
import type { AgentCommand } from '../agent/agent-session';
import type { DeviceState } from '../device-state';
import type { PermissionPolicy } from '../permissions/permission-policy';
import { findKnownAgent } from './agent-catalog';

/** Who decides what an agent of the machine may do in a new session for which its caller names no mode. */
export interface AgentDecider {
  name: string;
  /**
   * `agent`: the agent by itself; `permissions`: the machine's policy, which the agent asks; `settings`: the same, for
   * what the agent's own settings let it ask about; `unknown`: the agent has never been started, and nothing is known
   * of its modes; `none`: the agent can't be started, since no mode of it is known to ask.
   */
  decider: 'agent' | 'permissions' | 'settings' | 'unknown' | 'none';
  /** Null: the agent's own, or none. */
  mode: string | null;
  permissions: PermissionPolicy;
  /** Number of the machine's rules, which come before `permissions`. */
  rules: number;
}

/**
 * @param permissions the machine's option; undefined: `ask`
 * @param rules number of its rules
 */
export function describeDecider(
  agent: AgentCommand,
  state: DeviceState,
  { permissions = 'ask', rules = 0 }: Partial<Pick<AgentDecider, 'permissions' | 'rules'>> = {},
): AgentDecider {
  const known = findKnownAgent(state, agent);
  const table = findModeTable(known?.name ?? null, agent.command);
  const describe = (decider: AgentDecider['decider'], mode: string | null): AgentDecider => ({
    name: agent.name,
    decider,
    mode,
    permissions,
    rules,
  });
  const asking = table?.followsSettings ? 'settings' : 'permissions';
  if (agent.mode !== null) return describe(isDecidingMode(table, agent.mode) ? 'agent' : asking, agent.mode);
  if (permissions === 'allow' && rules === 0) return describe('permissions', null);
  if (known?.modes.length === 0) return describe('settings', null);
  const mode = known ? findAskingMode(table, known.modes) : table?.asking[0];
  if (mode !== undefined) return describe(asking, mode);
  return describe(known ? 'none' : 'unknown', null);
}
