import { getChoices, type QuestionChoice, type QuestionField } from '@external-api/protocol/portable';
import { showInvisibleCharacters } from '../lib/visible-text';
import { getInputName } from './form-answers';

/** Longer texts have several lines. */
const MAX_LINE_LENGTH = 100;

interface FieldProps {
  /** Unique on the page, for the texts about the input. */
  id: string;
  index: number;
  name: string;
  field: QuestionField;
  isRequired: boolean;
  /** Why the answer can't be sent; empty without a problem. */
  problem: string;
}

/** Input for one field of a question. Its texts are those of an agent, and no link of them can be clicked. */
export function QuestionFieldInput(props: FieldProps) {
  const { field } = props;
  if (field.type === 'boolean') return <CheckboxField {...props} />;
  const choices = getChoices(field);
  return choices ? <ChoiceField {...props} choices={choices} /> : <TextFieldInput {...props} />;
}

function TextFieldInput({ id, index, field, name, isRequired, problem }: FieldProps) {
  const attributes = {
    ...getInputAttributes(id, problem),
    name: getInputName(index),
    defaultValue: field.default === undefined ? '' : String(field.default),
    autocomplete: 'off',
  };
  const isNumber = field.type === 'number' || field.type === 'integer';
  const isLong = field.type === 'string' && !field.format && (field.maxLength ?? Infinity) > MAX_LINE_LENGTH;
  return (
    <div class="field">
      <label for={id}>
        <FieldTitle field={field} name={name} isRequired={isRequired} />
      </label>
      <FieldHelp id={id} field={field} problem={problem} />
      {isLong ? (
        <textarea {...attributes} rows={2} />
      ) : (
        <input {...attributes} inputMode={isNumber ? 'decimal' : undefined} />
      )}
    </div>
  );
}

function CheckboxField({ id, index, field, name, problem }: FieldProps) {
  return (
    <div class="field">
      <label class="box">
        <input
          {...getInputAttributes(id, problem)}
          type="checkbox"
          name={getInputName(index)}
          defaultChecked={field.default === true}
        />
        <FieldTitle field={field} name={name} isRequired />
      </label>
      <FieldHelp id={id} field={field} problem={problem} />
    </div>
  );
}

interface ChoiceFieldProps extends FieldProps {
  choices: QuestionChoice[];
}

function ChoiceField({ id, index, field, name, isRequired, problem, choices }: ChoiceFieldProps) {
  const isList = field.type === 'array';
  const defaults = [field.default ?? []].flat();
  const noChoice: QuestionChoice = { const: '', title: 'No answer' };
  const shown = isList || isRequired ? choices : [...choices, noChoice];
  return (
    <fieldset class="field" {...getInputAttributes(id, problem)}>
      <legend>
        <FieldTitle field={field} name={name} isRequired={isRequired} />
      </legend>
      <FieldHelp id={id} field={field} problem={problem} />
      {shown.map((choice) => (
        <label key={choice.const} class="box">
          <input
            type={isList ? 'checkbox' : 'radio'}
            name={getInputName(index)}
            value={choice.const}
            defaultChecked={choice === noChoice ? defaults.length === 0 : defaults.includes(choice.const)}
          />
          <span>
            <bdi>{showInvisibleCharacters(choice.title)}</bdi>
            {choice.description !== undefined && (
              <small>
                <bdi>{showInvisibleCharacters(choice.description)}</bdi>
              </small>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

const getInputAttributes = (id: string, problem: string) => ({
  id,
  'aria-describedby': `${id}-help`,
  'aria-invalid': problem !== '' || undefined,
});

function FieldTitle({ field, name, isRequired }: Pick<FieldProps, 'field' | 'name' | 'isRequired'>) {
  return (
    <span>
      <bdi>{showInvisibleCharacters(field.title ?? name)}</bdi>
      {!isRequired && <small> (optional)</small>}
    </span>
  );
}

function FieldHelp({ id, field, problem }: Pick<FieldProps, 'id' | 'field' | 'problem'>) {
  const rules = describeRules(field);
  return (
    <div id={`${id}-help`}>
      {field.description !== undefined && (
        <small class="hint">
          <bdi>{showInvisibleCharacters(field.description)}</bdi>
        </small>
      )}
      {rules !== '' && <small class="hint">{rules}</small>}
      {problem !== '' && (
        <small class="fault" role="alert">
          {problem}
        </small>
      )}
    </div>
  );
}

/** Says what the browser doesn't check by itself. A pattern of an agent is shown and never run. */
function describeRules(field: QuestionField): string {
  switch (field.type) {
    case 'number':
    case 'integer': {
      const range = describeRange(field.minimum, field.maximum);
      const what = field.type === 'integer' ? 'A whole number' : 'A number';
      return range === '' ? `${what}.` : `${what}, ${range}.`;
    }
    case 'array': {
      const range = describeRange(field.minItems, field.maxItems);
      return range === '' ? '' : `Number of choices: ${range}.`;
    }
    case 'string':
      return [
        field.format === undefined ? '' : `Format: ${showInvisibleCharacters(field.format)}.`,
        field.pattern === undefined ? '' : `Pattern: ${showInvisibleCharacters(field.pattern)}`,
      ]
        .filter(Boolean)
        .join(' ');
    case 'boolean':
      return '';
  }
}

/** Returns an empty text without limits. */
function describeRange(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `from ${min} to ${max}`;
  if (min !== undefined) return `at least ${min}`;
  return max === undefined ? '' : `at most ${max}`;
}
