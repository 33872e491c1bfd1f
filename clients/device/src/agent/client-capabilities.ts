/** What the device declares to agents (agentclientprotocol.com/protocol/v1/initialization). */
export const CLIENT_CAPABILITIES = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  elicitation: { form: {} },
  // Qwen Code asks with its questions then, and not with each choice as an option.
  _meta: { 'qwen.askUserQuestion': true },
};
