/** Outcome of an agent that asks a failing model again for minutes. Its turn is cancelled. */
export const RETRIES = 'tries again, can be cancelled';

/**
 * What happens in each step with an agent that can do everything. The `differences` of an agent say what happens with
 * it instead.
 */
export const PROMISES = {
  'Mode under `--permissions ask`': 'one that asks',
  Message: 'answered',
  'Title of the session': 'of the first message',
  'Usage of a turn (in, out, cached)': '1200, 42, 300',
  'Allowed command': 'asks, then runs it',
  'Output of a command': 'text',
  'Rejected command': "doesn't run it",
  'Turn cancelled during a command': 'ends it, remembers',
  'Device killed during a turn': 'remembers',
  'Command in the background': 'a turn of its own',
  'Session of the agent': 'listed, continued as a copy',
  'Model answers 401': 'fails: `agent_auth_required`, says why',
  'Model answers 429': 'fails: `agent_error`, says why',
  'Model answers 500': 'fails: `agent_error`, says why',
  'Model never answers': 'cancelled',
};

export type Step = keyof typeof PROMISES;

export const STEPS = Object.keys(PROMISES) as Step[];
