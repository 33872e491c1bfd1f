import { JsonRpcError } from '../json-rpc-peer';

/** What the test agent offers beside its modes, with its options `options`, `models`, `many-options` and others. */
export interface ChosenOptions {
  model: string;
  effort: string;
  search: string;
  /** Only with `switches`. */
  fast: boolean;
}

const MODELS = ['small', 'large'];
/** The larger model thinks harder. */
const EFFORTS: Record<string, string[]> = { small: ['low', 'high'], large: ['low', 'max'] };

export const createChosenOptions = (): ChosenOptions => ({ model: 'small', effort: 'low', search: 'ask', fast: false });

export function createOfferedOptions(chosen: ChosenOptions, behavior: ReadonlySet<string>): unknown[] {
  if (behavior.has('many-options')) return createManyOptions();
  if (!behavior.has('options')) return [];
  return [
    createSelect('model', 'model', chosen.model, MODELS),
    createSelect('effort', 'thought_level', chosen.effort, EFFORTS[chosen.model] ?? []),
    createSelect('search', null, chosen.search, ['ask', 'always']),
    ...(behavior.has('switches')
      ? [{ id: 'fast', name: 'Fast', category: 'model_config', type: 'boolean', currentValue: chosen.fast }]
      : []),
  ];
}

/** As agents have them that don't offer their models as an option. */
export const createModels = ({ model }: ChosenOptions) => ({
  currentModelId: model,
  availableModels: MODELS.map((modelId) => ({ modelId, name: `Model ${modelId}` })),
});

export function chooseOption(chosen: ChosenOptions, id: unknown, value: unknown, behavior: ReadonlySet<string>): void {
  if (behavior.has('refuse-options')) throw new JsonRpcError(-32603, `No access to ${String(value)}`);
  if (behavior.has('ignore-options')) return;
  if (id === 'model') chosen.model = String(value);
  if (id === 'effort') chosen.effort = String(value);
  if (id === 'search') chosen.search = String(value);
  if (id === 'fast') chosen.fast = value === true;
  if (!EFFORTS[chosen.model]?.includes(chosen.effort)) chosen.effort = 'low';
}

const createSelect = (id: string, category: string | null, currentValue: string, values: string[]) => ({
  id,
  name: `The ${id}`,
  ...(category && { category }),
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});

/** As of a hostile agent. */
function createManyOptions(): unknown[] {
  const values = Array.from({ length: 1_000 }, (_, index) => `vendor/model-${index}`);
  const select = createSelect('model', 'model', 'vendor/model-1', [...values, 'x'.repeat(100_000), 'line\nbreak', '']);
  return [
    { ...select, name: `Model\u{1b}[31m${'y'.repeat(100_000)}` },
    { ...createSelect('\u{202e}ledom', 'model', 'a', ['a']) },
    { ...createSelect('switch', 'other', 'a', ['a']), type: 'boolean', currentValue: true },
    { ...createSelect('more', null, 'other', [...values, ...values]) },
    { id: 7, type: 'select', options: 'none' },
    null,
  ];
}
