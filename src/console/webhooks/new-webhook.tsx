import { FormProblem, TextField } from '../forms/fields';
import type { FormState } from '../forms/form-state';
import { Form } from '../html/form';
import { PageHead } from '../parts/page-head';
import { EventBoxes } from './event-boxes';

export function NewWebhook({ form }: { form: FormState }) {
  return (
    <>
      <PageHead heading="New webhook" up={{ path: '/console/webhooks', text: 'Webhooks' }} />
      <Form action="/console/webhooks" class="card">
        <FormProblem form={form} />
        <TextField
          form={form}
          name="url"
          label="Address"
          hint="Where events are posted to: https, and reachable from the internet."
          placeholder="https://"
          inputMode="url"
          maxLength={2048}
          required
        />
        <TextField
          form={form}
          name="description"
          label="Description"
          hint="What it is for, if you like."
          maxLength={500}
        />
        <EventBoxes form={form} />
        <button>Create webhook</button>
      </Form>
    </>
  );
}
