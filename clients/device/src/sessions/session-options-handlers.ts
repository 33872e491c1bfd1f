import type { OptionValues, SessionOption, SessionOptionsResult } from '@external-api/protocol';
import { describeFailure } from '../agent/agent-error';
import type { AgentSessionProvider } from '../agent/agent-session';
import { CommandError, findCommandError } from '../exec/command-error';
import type { RelayMethodHandler } from '../machine/relay-request-handler';
import { waitUnlessAborted } from '../time-limit';
import type { TurnQueue } from '../turns/turn-queue';
import type { AgentSessionRegistry } from './agent-session-registry';
import type { HostedAgentSession } from './hosted-agent-session';

export interface OptionHandlerDependencies {
  sessions: AgentSessionRegistry;
  provider: AgentSessionProvider;
}

/** Answers what the agent of a session has announced last (docs/protocol/agents.md#options-of-a-session). */
export function createReadOptionsHandler({
  sessions,
}: OptionHandlerDependencies): RelayMethodHandler<'session.options'> {
  return ({ sessionId }) => Promise.resolve().then(() => getOffer(requireQueue(sessions, sessionId).session));
}

/**
 * Chooses values of options for the next turn, at once if the agent runs and has nothing to do, and answers what it
 * offers afterwards. An error changes nothing.
 */
export function createChangeOptionsHandler({
  sessions,
  provider,
}: OptionHandlerDependencies): RelayMethodHandler<'session.configure'> {
  return async ({ sessionId, params: { options: values, mayDecide } }, signal) => {
    const queue = requireQueue(sessions, sessionId);
    const { session } = queue;
    let isAsked = false;
    const changed = queue.runBetweenTurns(async (isTurnRunning): Promise<SessionOptionsResult> => {
      if (signal.aborted) throw createCancelledError();
      isAsked = true;
      requireOffered(getOffer(session), values);
      requireAllowed(session, values, mayDecide);
      const earlier = readValues(getOffer(session), Object.keys(values));
      const areApplied = !isTurnRunning && (await applyValues(provider, queue, values));
      await session.choices.chooseValues(values, areApplied).catch(async (error: Error) => {
        if (areApplied) await applyValues(provider, queue, earlier).catch(() => undefined);
        throw new CommandError('internal', `The key file can't be written: ${error.message}`);
      });
      return getOffer(session);
    });
    // An agent that never answers must not keep the device from stopping.
    return waitUnlessAborted(changed, signal, () => {
      if (!isAsked) throw createCancelledError();
      throw new CommandError('internal', 'The agent has not answered whether it takes the values.');
    });
  };
}

const createCancelledError = (): CommandError =>
  new CommandError('cancelled', 'The call was cancelled before the agent was asked.');

/** Returns the values that these options have. One that the agent doesn't name is left out. */
function readValues({ options }: SessionOptionsResult, ids: readonly string[]): OptionValues {
  const named = options.filter((option): option is SessionOption & { value: string } => option.value !== null);
  return Object.fromEntries(named.filter(({ id }) => ids.includes(id)).map(({ id, value }) => [id, value]));
}

/** Returns whether the agent runs, and has taken the values. */
async function applyValues(provider: AgentSessionProvider, { session }: TurnQueue, values: OptionValues) {
  try {
    return await provider.updateSession(session.id, session.createChoiceRequest(values));
  } catch (error) {
    throw findCommandError(error) ?? new CommandError('option_refused', describeFailure(error));
  }
}

function requireQueue(sessions: AgentSessionRegistry, sessionId: string | undefined): TurnQueue {
  const queue = sessions.findQueue(sessionId);
  if (queue) return queue;
  throw sessions.findRefusal(sessionId) ?? new CommandError('agent_not_found', 'No agent works in the session.');
}

function getOffer({ choices }: HostedAgentSession): SessionOptionsResult {
  if (choices.offer) return choices.offer;
  throw new CommandError(
    'options_unknown',
    'The agent has not run since its device was started. Send a message, which starts it.',
  );
}

/** Another model may offer other values, which are known when the agent has it. */
function requireOffered({ options }: SessionOptionsResult, values: OptionValues): void {
  const chosen = Object.entries(values).map(([id, value]) => ({ id, value, option: findOption(options, id) }));
  const changesModel = chosen.some(({ option, value }) => option.category === 'model' && option.value !== value);
  for (const { id, value, option } of chosen) {
    if (option.values.some((each) => each.value === value)) continue;
    if (option.category === 'mode') throw new CommandError('mode_not_found', `The agent has no mode "${value}".`);
    if (!changesModel || option.category === 'model')
      throw new CommandError('option_value_not_found', `The option "${id}" of the agent has no value "${value}".`);
  }
}

function findOption(options: readonly SessionOption[], id: string): SessionOption {
  const option = options.find((each) => each.id === id);
  if (option) return option;
  const ids = options.map((each) => each.id).join(', ') || 'none';
  throw new CommandError('option_not_found', `The agent has no option "${id}". Its options: ${ids}.`);
}

/** Whoever lets an agent decide by itself can run anything. */
function requireAllowed(session: HostedAgentSession, values: OptionValues, mayDecide: boolean): void {
  for (const [id, value] of Object.entries(values)) {
    if (!session.choices.isDeciding(id, value)) continue;
    const isMode = findOption(getOffer(session).options, id).category === 'mode';
    if (isMode && session.isOwnersMode(value)) continue;
    const text = `The agent could decide by itself with the value "${value}" of its option "${id}". `;
    if (!mayDecide) throw new CommandError('scope_required', `${text}That requires the scope machines:invoke.`);
    if (session.allowsDecidingModes) continue;
    throw new CommandError(
      'agent_mode_unsafe',
      `${text}The owner of the machine, or an app in the session, forbids it.`,
    );
  }
}
