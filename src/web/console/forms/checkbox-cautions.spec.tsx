import { renderToString } from 'preact-render-to-string';
import { SCOPE_NAMES } from '../../../access/auth';
import { SCOPE_LABELS } from '../components/scope-labels';
import { ScopeList } from '../components/scope-list';
import { NewWebhookPage } from '../webhooks/new-webhook-page';
import { createFormState } from './form-state';
import { ScopeCheckboxes } from './scope-checkboxes';

/** The label that contains the checkbox of this value. */
function findLabel(html: string, value: string): string {
  const label = html.match(/<label[^]*?<\/label>/g)?.find((each) => each.includes(`value="${value}"`));
  if (label === undefined) throw new Error(`No checkbox has the value ${value}.`);
  return label;
}

describe('the checkboxes of a form', () => {
  const cautions = SCOPE_NAMES.flatMap((scope) => {
    const { caution } = SCOPE_LABELS[scope];
    return caution === undefined ? [] : [{ scope, caution }];
  });
  const scopeForm = renderToString(<ScopeCheckboxes form={createFormState()} label="Scopes" scopes={SCOPE_NAMES} />);

  it('warn of scopes that run commands', () => {
    expect(cautions.map(({ scope }) => scope)).toEqual(expect.arrayContaining(['sessions:write', 'machines:invoke']));
  });

  it.each(cautions)('show the caution of $scope beside its checkbox', ({ scope, caution }) => {
    expect(findLabel(scopeForm, scope)).toContain(`<small>${caution}</small>`);
  });

  it('show no caution beside a scope without one', () => {
    expect(findLabel(scopeForm, 'usage:read')).not.toContain('<small>');
  });

  it('say that “All events” includes event types of the future', () => {
    const html = renderToString(<NewWebhookPage form={createFormState()} />);
    expect(findLabel(html, '*')).toContain('<small>Includes event types added in the future.</small>');
  });

  it.each(cautions)('show the caution of $scope again in the list of scopes', ({ scope, caution }) => {
    expect(renderToString(<ScopeList scopes={[scope]} />)).toContain(`<small>${caution}</small>`);
  });
});
