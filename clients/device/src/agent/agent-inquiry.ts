/** What an agent says about itself. Invisible characters are escapes. */
export interface AgentInfo {
  name: string;
  title: string | null;
  version: string | null;
  /** Whether the agent can load a session of an earlier process, and repeat its conversation. */
  canLoadSessions: boolean;
  /** Whether it can go on with such a session without a repetition. */
  canResumeSessions: boolean;
  /** Whether it can list its sessions, also those of other clients. */
  canListSessions: boolean;
  /** Whether it can go on with a copy of a session. */
  canForkSessions: boolean;
  /** Whether a message can join a turn that runs. */
  canSteer: boolean;
  /** Blocks of content that it takes in a prompt, besides text. */
  promptCapabilities: { image: boolean; embeddedContext: boolean };
}

/** A session as its agent lists it. */
export interface ListedAgentSession {
  id: string;
  /** Absolute path. Nothing is known of the folder: the agent may lie, or the folder may be gone. */
  cwd: string;
  /** The agent's own title, up to 4,096 characters; empty if it has none. */
  title: string;
  /** RFC 3339 in UTC, or null. */
  updatedAt: string | null;
}

export interface AgentSessionPage {
  /** Null for an entry that can't be continued, so that positions in the list stay what they are. */
  sessions: (ListedAgentSession | null)[];
  nextCursor: string | null;
}

/** A running agent, for questions that need no open session. */
export interface AgentInquiry {
  readonly info: AgentInfo;
  /**
   * Returns a page of the agent's sessions.
   * @param cwd only those of this folder; null: all
   * @throws AgentError
   */
  listSessions(cwd: string | null, cursor: string | null): Promise<AgentSessionPage>;
}
