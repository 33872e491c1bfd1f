import { FormProblem, TextField } from '../forms/fields';
import type { FormState } from '../forms/form-state';
import { Form } from '../html/form';

/** Asks for the code that a new device shows; `pairing-code.js` fills in one that a QR code brought along. */
export function PairingCodeForm({ form }: { form: FormState }) {
  return (
    <Form action="/console/devices/pairing" class="card inline">
      <FormProblem form={form} />
      <TextField
        form={form}
        name="code"
        label="Approve a device"
        hint="The code that the new device shows. Next you see which device it is."
        placeholder="ABCD-EFGH"
        maxLength={32}
        required
      />
      <button>Look it up</button>
    </Form>
  );
}
