import { MAX_PERMISSION_OPTIONS, PERMISSION_OPTION_KINDS } from '@external-api/protocol';
import { toArray, toObject } from './acp';
import type { AgentPermissionOption, AgentPermissionOutcome, AgentPermissionRequest } from './agent-session';
import { toDisplayedLine } from './displayed-text';
import type { ToolCall } from './tool-call';

let lastRequestNumber = 0;

export interface OfferedOption extends AgentPermissionOption {
  /** The agent's own id. Some agents repeat it, so the device gives ids of its own. */
  agentOptionId: string;
}

/** One `session/request_permission` of the agent, until the first answer. */
export class PermissionRequest implements AgentPermissionRequest {
  readonly id = `permission-${++lastRequestNumber}`;
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: string;
  readonly input: unknown;
  readonly diff: string | null;
  readonly paths: readonly (string | null)[];
  readonly mentionedPaths: readonly (string | null)[];
  readonly options: readonly AgentPermissionOption[];
  readonly closed: Promise<AgentPermissionOutcome>;
  private resolveClosed!: (outcome: AgentPermissionOutcome) => void;
  private isOpen = true;

  constructor(
    toolCall: ToolCall,
    private readonly offeredOptions: readonly OfferedOption[],
    private readonly onClosed: (request: PermissionRequest, outcome: AgentPermissionOutcome) => void,
  ) {
    const { toolCallId, title, kind, input, diff, paths, mentionedPaths } = toolCall.toProposal();
    this.toolCallId = toolCallId;
    this.title = title;
    this.kind = kind;
    this.input = input;
    this.diff = diff;
    this.paths = paths;
    this.mentionedPaths = mentionedPaths;
    this.options = offeredOptions.map((option) => ({
      optionId: option.optionId,
      name: option.name,
      kind: option.kind,
    }));
    this.closed = new Promise((resolve) => (this.resolveClosed = resolve));
  }

  select(optionId: string): boolean {
    const option = this.options.find((offered) => offered.optionId === optionId);
    if (!option) throw new Error('The permission request has no such option.');
    return this.closeWith(option);
  }

  cancel(): boolean {
    return this.closeWith(null);
  }

  /** Result of the agent's request. */
  async waitForResponse() {
    const selected = await this.closed;
    if (!selected) return CANCELLED_RESPONSE;
    const { agentOptionId } = this.offeredOptions.find(({ optionId }) => optionId === selected.optionId)!;
    return { outcome: { outcome: 'selected', optionId: agentOptionId } };
  }

  private closeWith(outcome: AgentPermissionOutcome): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.resolveClosed(outcome);
    this.onClosed(this, outcome);
    return true;
  }
}

export const CANCELLED_RESPONSE = { outcome: { outcome: 'cancelled' } };

/** Reads the options in the agent's order. Options of an unknown kind can't be shown and are left out. */
export function parseOptions(value: unknown): OfferedOption[] {
  return toArray(value)
    .map(toObject)
    .flatMap(({ optionId, name, kind }) => {
      const knownKind = PERMISSION_OPTION_KINDS.find((known) => known === kind);
      if (typeof optionId !== 'string' || !knownKind) return [];
      return [{ agentOptionId: optionId, name: toDisplayedLine(name) || knownKind, kind: knownKind }];
    })
    .slice(0, MAX_PERMISSION_OPTIONS)
    .map((option, index) => ({ optionId: `o${index + 1}`, ...option }));
}
