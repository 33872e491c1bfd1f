import type { AgentDecider } from './sessions/agent-decider';

/** Events that a machine device reports to its user. The CLI prints them. */
export type MachineEvent =
  | {
      event: 'pairing';
      code: string;
      fingerprint: string;
      expiresAt: number;
      /** Page of the console on which a person approves this device. */
      approvalUrl: string;
    }
  | { event: 'paired'; account: string; accountId: string }
  | {
      event: 'serving';
      account: string;
      machineId: string;
      sessionId: string;
      sessionTag: string;
      deviceId: string;
      /** Who decides what the machine's agents may do; absent without agents. */
      agents?: AgentDecider[];
    }
  | { event: 'connected' }
  | { event: 'disconnected'; reason: string }
  | { event: 'waiting'; reason: string; ms: number }
  | { event: 'history'; problem: string; waiting: number }
  | { event: 'agent'; problem: string }
  | { event: 'invocation'; problem: string }
  | { event: 'call'; method: string; requestId: string; outcome: string; ms: number };
