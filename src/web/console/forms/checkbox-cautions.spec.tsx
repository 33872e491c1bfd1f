import { renderToString } from 'preact-render-to-string';
import { SCOPE_NAMES, SCOPES } from '../../../access/auth';
import { ScopeList } from '../components/scope-list';
import { EVENT_TYPES } from '../../../core/events';
import { EventCheckboxes } from '../webhooks/new-webhook-page';
import { createFormState } from './form-state';
import { EVENT_GROUPS, SCOPE_GROUPS } from './choice-groups';
import { ScopeCheckboxes } from './scope-checkboxes';

/** The label that contains the checkbox of this value. */
function findLabel(html: string, value: string): string {
  const label = html.match(/<label[^]*?<\/label>/g)?.find((each) => each.includes(`value="${value}"`));
  if (label === undefined) throw new Error(`No checkbox has the value ${value}.`);
  return label;
}

describe('the checkboxes of a form', () => {
  const cautions = SCOPE_NAMES.flatMap((scope) => {
    const { caution } = SCOPES[scope];
    return caution === undefined ? [] : [{ scope, caution }];
  });
  const scopeForm = renderToString(<ScopeCheckboxes form={createFormState()} label="Scopes" />);

  it('offer each scope once, but none that opens nothing', () => {
    const offered = SCOPE_GROUPS.flatMap(({ names }) => names);
    const usable = SCOPE_NAMES.filter((scope) => !SCOPES[scope].description.startsWith('Reserved'));
    expect([...offered].sort()).toEqual([...usable].sort());
    expect(SCOPE_NAMES.length - usable.length).toBe(2);
  });

  it('offer each event type once, but for the test', () => {
    const offered = EVENT_GROUPS.flatMap(({ names }) => names);
    expect(offered.sort()).toEqual(EVENT_TYPES.filter((type) => type !== 'webhook.test').sort());
  });

  it('mark exactly the scopes that can run commands', () => {
    const marked = SCOPE_GROUPS.flatMap(({ names }) => names).filter((scope) =>
      findLabel(scopeForm, scope).includes('can run commands'),
    );
    expect(marked).toEqual(['sessions:write', 'sessions:approve', 'machines:invoke']);
  });

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
    const html = renderToString(<EventCheckboxes form={createFormState()} />);
    expect(findLabel(html, '*')).toContain('<small>Includes event types added in the future.</small>');
  });

  it.each(cautions)('show the caution of $scope again in the list of scopes', ({ scope, caution }) => {
    expect(renderToString(<ScopeList scopes={[scope]} />)).toContain(`<small>${caution}</small>`);
  });
});
