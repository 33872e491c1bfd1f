import { FormProblem } from '../../forms/fields';
import type { FormState } from '../../forms/form-state';
import { TimeField } from '../../forms/time-field';
import { Ask } from '../../parts/ask';

/** The log's filters have a `since` of their own. */
export const SINCE = 'failedSince';

/** All that failed since a time, once more. */
export function ReplayFailed({ form, action }: { form: FormState; action: string }) {
  return (
    <Ask
      verb="Replay failed"
      action={action}
      harmless
      last
      open={form.status >= 400}
      fields={
        <>
          <FormProblem form={form} />
          <TimeField form={form} name={SINCE} label="Made since" />
        </>
      }
    >
      Every event of which the last delivery failed is sent once more, with the same <code>webhook-id</code>.
    </Ask>
  );
}
