/** What becomes of a message while the agent of its session works (docs/protocol/agents.md#while-the-agent-works). */
export const IF_BUSY = ['queue', 'steer', 'interrupt', 'reject'] as const;
export type IfBusy = (typeof IF_BUSY)[number];

export interface BusyParams {
  /** Absent: `queue`. Only for devices that declare `session.busy`. */
  ifBusy?: Exclude<IfBusy, 'queue'>;
}
