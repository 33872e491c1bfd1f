interface Mode {
  id: string;
  name: string;
}

/** In which it asks, and in which it decides by itself. */
const MODES = [
  { id: 'ask', name: 'Ask before each change' },
  { id: 'auto', name: 'Change files without asking' },
];
/** As of an agent that the device doesn't know. */
const UNKNOWN_MODES = [
  { id: 'careful', name: 'Careful' },
  { id: 'quick', name: 'Quick' },
];

/** Returns the modes of the test agent, with its option `unknown-modes` those that no device knows. */
export const getModes = (behavior: ReadonlySet<string>): readonly Mode[] =>
  behavior.has('unknown-modes') ? UNKNOWN_MODES : MODES;

const ALLOW_ALL = { id: 'allow_all', name: 'Allow all', category: 'permissions' };

/** As GitHub Copilot has it, with the option `switches` as a boolean. */
export const createAllowAllOption = (currentValue: string, behavior: ReadonlySet<string>) =>
  behavior.has('switches')
    ? { ...ALLOW_ALL, type: 'boolean', currentValue: currentValue === 'on' }
    : {
        ...ALLOW_ALL,
        type: 'select',
        currentValue,
        options: [
          { value: 'on', name: 'On' },
          { value: 'off', name: 'Off' },
        ],
      };

export const createModeOption = (currentValue: string, modes: readonly Mode[]) => ({
  id: 'approval',
  name: 'Approval',
  category: 'mode',
  type: 'select',
  currentValue,
  options: [
    {
      group: 'all',
      name: 'All',
      options: modes.map(({ id, name }) => ({ value: id, name })),
    },
  ],
});
