import type { ModeRule, OptionRequest } from './agent-settings';
import { parseCommands } from './offered-options';
import { buildTestAgent, openTestSession, runTestPrompt, stopTestAgents, waitUntil } from './testing/test-agents';

const ASKING: ModeRule = { callerMode: null, decidingCallerMode: 'allow', mustAsk: true };
const strict = (values: OptionRequest['values']): OptionRequest => ({ values, isStrict: true });
const lenient = (values: OptionRequest['values']): OptionRequest => ({ values, isStrict: false });
const causedBy = (code: string) => ({ code: 'agent_error', cause: { code } });

beforeAll(buildTestAgent, 120_000);
afterEach(stopTestAgents);

const open = (behavior: string, options?: OptionRequest, modeRule: Partial<ModeRule> = {}) =>
  openTestSession({ behavior, options, modeRule: { ...ASKING, ...modeRule } });
type Session = Awaited<ReturnType<typeof open>>['session'];
const readValues = ({ offer }: Session) => Object.fromEntries(offer.options.map(({ id, value }) => [id, value]));
const readChosen = async (session: Session) => (await runTestPrompt(session, 'options')).turn.messages[0];

describe('what an agent offers', () => {
  it('is its options with their values, and its modes', async () => {
    const { session } = await open('options');
    expect(session.offer.options).toEqual([
      expect.objectContaining({ id: 'allow_all', category: 'permissions', value: 'off' }),
      {
        id: 'model',
        name: 'The model',
        category: 'model',
        type: 'select',
        value: 'small',
        values: [
          { value: 'small', name: 'SMALL' },
          { value: 'large', name: 'LARGE' },
        ],
      },
      expect.objectContaining({ id: 'effort', category: 'thought_level', value: 'low' }),
      expect.objectContaining({ id: 'search', category: null, value: 'ask' }),
      {
        id: 'mode',
        name: 'Mode',
        category: 'mode',
        type: 'select',
        value: 'ask',
        values: [
          { value: 'ask', name: 'Ask before each change' },
          { value: 'auto', name: 'Change files without asking' },
        ],
      },
    ]);
  });

  it('has the models of agents that do not offer them as an option', async () => {
    const { session } = await open('models', strict({ model: 'large' }));
    expect(session.offer.options).toContainEqual(
      expect.objectContaining({ id: 'model', category: 'model', value: 'large' }),
    );
    expect(await readChosen(session)).toBe('large, low');
  });

  it('has the commands, without characters that nobody sees', async () => {
    const { session } = await open('commands');
    await waitUntil(() => session.offer.commands.length > 0);
    expect(session.offer.commands).toEqual([{ name: 'compact', description: 'Summarizes\\u{1b} the conversation' }]);
  });

  it('has at most 256 commands, with names that can be written and short descriptions', () => {
    const names = ['', 'line\nbreak', 'x'.repeat(129), ...Array.from({ length: 300 }, (_, n) => `command-${n}`)];
    const availableCommands = [null, { name: 7 }, ...names.map((name) => ({ name, description: 'd'.repeat(257) }))];
    const commands = parseCommands({ availableCommands });
    expect(commands).toHaveLength(256);
    expect(commands[0]).toEqual({ name: 'command-0', description: 'd'.repeat(256) });
    expect(commands.at(-1)?.name).toBe('command-255');
  });

  it('follows what the agent changes by itself', async () => {
    const { session } = await open('options');
    await runTestPrompt(session, 'change-model large');
    expect(readValues(session)).toMatchObject({ model: 'large', effort: 'low' });
    expect(session.offer.options.find(({ id }) => id === 'effort')?.values.map(({ value }) => value)).toEqual([
      'low',
      'max',
    ]);
  });

  it('is bounded, and leaves out what can not be shown and sent back', async () => {
    const { session } = await open('many-options');
    const { options } = session.offer;
    expect(options.map(({ id }) => id)).toEqual(['allow_all', 'model', 'switch', 'more', 'mode']);
    const model = options[1]!;
    expect(model.values).toHaveLength(1_000);
    expect(model.name).toMatch(/^Model\\u\{1b\}\[31my+$/);
    expect(model.name).toHaveLength(128);
    const count = options.reduce((sum, { values }) => sum + values.length, 0);
    expect(count).toBe(2_000);
  });
});

describe('values that a caller chooses', () => {
  it('reach the agent before the first prompt, with the model first', async () => {
    const { session } = await open('options', strict({ effort: 'max', model: 'large' }));
    expect(await readChosen(session)).toBe('large, max');
  });

  it.each([
    ['an unknown option', { colour: 'red' }, 'option_not_found'],
    ['a name of every object', { constructor: 'red' }, 'option_not_found'],
    ['an unknown value', { model: 'huge' }, 'option_value_not_found'],
    ['a value of another model', { effort: 'max' }, 'option_value_not_found'],
    ['a mode that the agent does not have', { mode: 'careful' }, 'mode_not_found'],
    ['an option without which the agent asks nothing', { allow_all: 'on' }, 'agent_mode_unsafe'],
    ['another value of a switch', { fast: 'true' }, 'option_value_not_found'],
  ])('are refused with %s', async (_, values, code) => {
    for (const behavior of ['options,switches', ...('fast' in values ? [] : ['options'])])
      await expect(open(behavior, strict(values))).rejects.toMatchObject(causedBy(code));
  });

  it('may switch something on or off', async () => {
    const { connection, session } = await open('options,switches', strict({ fast: 'on' }));
    expect(session.offer.options.find(({ id }) => id === 'fast')).toEqual({
      id: 'fast',
      name: 'Fast',
      category: 'model_config',
      type: 'boolean',
      value: 'on',
      values: [
        { value: 'on', name: 'On' },
        { value: 'off', name: 'Off' },
      ],
    });
    expect(await readChosen(session)).toBe('small, low, fast');
    await connection.applySettings(session, { modeRule: ASKING, options: strict({ fast: 'off' }) });
    expect(await readChosen(session)).toBe('small, low');
  });

  it.each(['options,refuse-options', 'options,ignore-options', 'models,refuse-options'])(
    'are refused if the agent refuses them (options: %s)',
    async (behavior) => {
      await expect(open(behavior, strict({ model: 'large' }))).rejects.toMatchObject(causedBy('option_refused'));
    },
  );

  it('are taken back if one of them is refused', async () => {
    const { connection, session } = await open('options');
    const settings = { modeRule: ASKING, options: strict({ model: 'large', effort: 'high' }) };
    await expect(connection.applySettings(session, settings)).rejects.toMatchObject(causedBy('option_value_not_found'));
    expect(await readChosen(session)).toBe('small, low');
  });

  it('that are gone later do not stop the session, and its readers are told', async () => {
    const { connection, session } = await open('options', strict({ effort: 'high' }));
    await connection.applySettings(session, { modeRule: ASKING, options: lenient({ model: 'large', effort: 'high' }) });
    const { turn } = await runTestPrompt(session, 'options');
    expect(turn.messages).toEqual(['large, low']);
    expect(turn.notices).toEqual(['The option "effort" of the agent has no value "high". It is "low".']);
  });

  it('never leave the agent in a mode in which it decides', async () => {
    const { connection, session } = await open('options,deciding-large');
    await connection.applySettings(session, { modeRule: ASKING, options: lenient({ model: 'large' }) });
    expect((await runTestPrompt(session, 'mode')).turn.messages[0]).toBe('ask, set by the client');
  });

  it.each([
    ['the mode of its own request', 'options', 'mode'],
    ['the option of the mode', 'options,config-options', 'approval'],
  ])('may be %s, under the same rules', async (_, behavior, id) => {
    const { connection, session } = await open(behavior, strict({ [id]: 'auto' }));
    expect(readValues(session)[id]).toBe('auto');
    const options = lenient({ [id]: 'auto' });
    await connection.applySettings(session, { modeRule: { ...ASKING, decidingCallerMode: 'ignore' }, options });
    expect(readValues(session)[id]).toBe('ask');
    const locked = open(behavior, strict({ [id]: 'auto' }), { decidingCallerMode: 'refuse' });
    await expect(locked).rejects.toMatchObject(causedBy('agent_mode_unsafe'));
  });

  it('are given back for a prompt of an app, if the agent could decide by itself with them', async () => {
    const { connection, session } = await open('options', strict({ search: 'always' }));
    expect(readValues(session).search).toBe('always');
    expect(session.isDecidingValue('search', 'always')).toBe(true);
    await connection.applySettings(session, {
      modeRule: { ...ASKING, decidingCallerMode: 'ignore' },
      options: lenient({ search: 'always', model: 'large' }),
    });
    expect(readValues(session)).toMatchObject({ search: 'ask', model: 'large' });
  });
});
