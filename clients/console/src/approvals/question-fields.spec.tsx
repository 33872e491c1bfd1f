import type { QuestionField } from '@external-api/protocol/portable';
import { render } from 'preact-render-to-string';
import { QuestionFieldInput } from './question-fields';

const show = (field: QuestionField, { problem = '', isRequired = false } = {}) =>
  render(<QuestionFieldInput id="q-0" index={0} name="port" field={field} isRequired={isRequired} problem={problem} />);

describe('a field of a question', () => {
  it.each<QuestionField>([
    { type: 'string' },
    { type: 'integer' },
    { type: 'boolean' },
    { type: 'string', enum: ['stable', 'beta'] },
  ])('is marked for screen readers while its answer can’t be sent: %j', (field) => {
    expect(show(field)).not.toContain('aria-invalid');
    const html = show(field, { problem: 'This must be at least 1.' });
    expect(html).toMatch(/aria-describedby="q-0-help" aria-invalid(="true")?[ >]/);
    expect(html).toMatch(/ id="q-0-help".*This must be at least 1\./);
  });

  it('says that it is optional, and offers not to choose', () => {
    const field: QuestionField = { type: 'string', enum: ['stable', 'beta'] };
    expect(show(field)).toMatch(/\(optional\).* value checked.*No answer/);
    const required = show(field, { isRequired: true });
    expect(required).not.toContain('(optional)');
    expect(required).not.toContain('No answer');
  });

  it.each<[QuestionField, string]>([
    [{ type: 'integer', minimum: 1, maximum: 3 }, 'A whole number, from 1 to 3.'],
    [{ type: 'integer', maximum: 9 }, 'A whole number, at most 9.'],
    [{ type: 'number', minimum: 0.5 }, 'A number, at least 0.5.'],
    [{ type: 'number' }, 'A number.'],
    [
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
      'Number of choices: from 1 to 2.',
    ],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 }, 'Number of choices: at least 1.'],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 1 }, 'Number of choices: at most 1.'],
    [{ type: 'string', format: 'email\u202e' }, 'Format: email\\u{202e}.'],
    [{ type: 'string', pattern: '^v' }, 'Pattern: ^v'],
  ])('says what fits: %j', (field, rule) => {
    expect(show(field)).toContain(`<small class="hint">${rule}</small>`);
  });

  it('begins with the answer that the agent proposes', () => {
    expect(show({ type: 'integer', default: 2 })).toContain('value="2"');
    expect(show({ type: 'boolean', default: true })).toContain(' checked');
    expect(show({ type: 'boolean', default: false })).not.toContain(' checked');
    const html = show({ type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, default: ['a', 'c'] });
    expect([...html.matchAll(/value="(\w)" checked/g)].map(([, value]) => value)).toEqual(['a', 'c']);
  });

  it('has several lines for a text without a short limit', () => {
    expect(show({ type: 'string' })).toContain('<textarea');
    expect(show({ type: 'string', maxLength: 100 })).toContain('<input');
    expect(show({ type: 'string', maxLength: 101 })).toContain('<textarea');
  });
});
