import { renderToString } from 'preact-render-to-string';
import { FormProblem, SelectField, TextField } from './fields';
import { createFormState, type FormState } from './form-state';

const reject = (fieldErrors: Record<string, string>, problem: string | null = null): FormState => ({
  ...createFormState({ name: 'x' }),
  fieldErrors,
  problem,
});

describe('the error above a form', () => {
  it.each([
    [{ name: 'Is required.' }, 'Nothing was changed. Correct the marked field.'],
    [{ name: 'Is required.', url: 'Is required.' }, 'Nothing was changed. Correct the 2 marked fields.'],
  ])('counts the fields of %j', (errors, text) => {
    expect(renderToString(<FormProblem form={reject(errors)} />)).toBe(
      `<p class="notice problem" role="alert">${text}</p>`,
    );
  });

  it('says what concerns no field, and nothing without an error', () => {
    expect(renderToString(<FormProblem form={reject({}, 'The limit is reached.')} />)).toContain(
      'The limit is reached.',
    );
    expect(renderToString(<FormProblem form={createFormState()} />)).toBe('');
  });
});

describe.each([
  ['text field', (form: FormState) => <TextField form={form} name="name" label="Name" hint="Only you see it." />],
  ['area', (form: FormState) => <TextField form={form} name="name" label="Name" hint="Only you see it." rows={2} />],
  ['choice', (form: FormState) => <SelectField form={form} name="name" label="Name" hint="x" options={[]} />],
])('a %s', (_, render) => {
  it('is marked as wrong, and described by its hint and its error', () => {
    const html = renderToString(render(reject({ name: 'Is required.' })));
    expect(html).toMatch(/<(input|textarea|select) [^>]*aria-describedby="name-hint name-fault" aria-invalid="true"/);
    expect(html).toContain('<small class="fault" id="name-fault">Is required.</small>');
  });

  it('is described by its hint alone without an error', () => {
    const html = renderToString(render(createFormState()));
    expect(html).toContain('aria-describedby="name-hint"');
    expect(html).not.toContain('aria-invalid');
  });
});
