/** Ids of agents are their own. Those with other characters are left out, since they could not be shown or repeated. */
export const AGENT_SESSION_ID = /^[\x21-\x7e]{1,256}$/;
export const MAX_AGENT_SESSION_CURSOR_LENGTH = 4_096;

export interface ListAgentSessionsParams {
  /** Name of an agent that the machine announces; null: all of them. */
  agent: string | null;
  /** Folder of the sessions; null: all that the device allows. */
  cwd: string | null;
  /** Maximum number of sessions. */
  limit: number;
  /** `nextCursor` of the previous page; null: the first page. */
  cursor: string | null;
}

/** A session that an agent knows, whether the service began it or a person at the terminal. */
export interface AgentSessionSummary {
  /** Name of the agent that has it. */
  agent: string;
  /** The agent's own id. */
  agentSessionId: string;
  title: string | null;
  /** Absolute path */
  cwd: string;
  /** RFC 3339 in UTC; null if the agent doesn't say. */
  updatedAt: string | null;
  /** Id in the service of a session that continues it; null if there is none. */
  sessionId: string | null;
  /** Whether the agent can begin a copy of it. */
  canFork: boolean;
}

/** Why the sessions of one agent are missing in a list. */
export interface AgentSessionsProblem {
  agent: string;
  /** As in the error of a call that names the agent. */
  code: string;
  message: string;
}

export interface ListAgentSessionsResult {
  sessions: AgentSessionSummary[];
  /** null on the last page. A page may be empty although there is another one. */
  nextCursor: string | null;
  /** Only of agents that the call doesn't name. */
  problems: AgentSessionsProblem[];
}

/** The agent's session that a start continues. Only for devices that declare `session.resume`. */
export interface Continuation {
  /** The agent's own id of the session. */
  resume?: string;
  /** Whether to continue a copy, and leave the agent's session as it is. */
  fork?: boolean;
}
