import type { Scope } from '../../../access/auth';
import { PageHead } from '../components/page-head';
import { FormProblem, SelectField, TextField } from '../forms/fields';
import type { FormState } from '../forms/form-state';
import { ScopeCheckboxes } from '../forms/scope-checkboxes';
import { Form } from '../html/form';
import { LoopbackFields, LoopbackNotice, type LoopbackRecipientDto } from './loopback-recipient';
import { MachineCheckboxes, type MachineChoice } from './token-machines';

const EXPIRY_OPTIONS = [
  { value: '7', text: 'In 7 days' },
  { value: '30', text: 'In 30 days' },
  { value: '90', text: 'In 90 days' },
  { value: '365', text: 'In a year' },
  { value: '', text: 'Never' },
];

/** Scopes that are selected together for a common purpose. */
export const TOKEN_PRESETS: Readonly<Record<string, { text: string; scopes: readonly Scope[] }>> = {
  read: {
    text: 'Read only',
    scopes: ['sessions:read', 'machines:read', 'artifacts:read', 'profile:read', 'usage:read'],
  },
  messages: { text: 'Send messages', scopes: ['sessions:read', 'sessions:write', 'machines:read'] },
  commands: { text: 'Run commands', scopes: ['machines:read', 'machines:invoke'] },
  content: {
    text: 'Content',
    scopes: ['sessions:read', 'sessions:content', 'artifacts:read', 'artifacts:content'],
  },
  xapi: {
    text: 'Command line',
    scopes: [
      'sessions:read',
      'sessions:write',
      'sessions:content',
      'sessions:approve',
      'machines:read',
      'machines:invoke',
      'artifacts:read',
      'artifacts:content',
      'profile:read',
    ],
  },
};

interface NewTokenPageProps {
  form: FormState;
  machines: readonly MachineChoice[];
  /** null if the token is shown to the person */
  recipient: LoopbackRecipientDto | null;
}

export function NewTokenPage({ form, machines, recipient }: NewTokenPageProps) {
  return (
    <>
      <PageHead heading="New token" parentLink={{ path: '/console/tokens', text: 'Tokens' }} />
      <Form action="/console/tokens" class="card">
        <FormProblem form={form} />
        {recipient ? <LoopbackNotice recipient={recipient} /> : <TokenPresets />}
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="Describes its purpose. Only you see it."
          maxLength={100}
          required
        />
        <SelectField
          form={form}
          name="expiresInDays"
          label="Expires"
          hint="A webhook can notify you a week before."
          options={EXPIRY_OPTIONS}
        />
        <ScopeCheckboxes form={form} label="Scopes" />
        <MachineCheckboxes form={form} machines={machines} />
        {recipient && <LoopbackFields recipient={recipient} />}
        <button>Create token</button>
      </Form>
    </>
  );
}

function TokenPresets() {
  return (
    <p>
      {'Start with: '}
      {Object.entries(TOKEN_PRESETS).map(([name, { text }], index) => (
        <span key={name}>
          {index > 0 && ' · '}
          <a href={`/console/tokens/new?preset=${name}`}>{text}</a>
        </span>
      ))}
    </p>
  );
}
