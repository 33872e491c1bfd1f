import type { FormState } from '../forms/form-state';
import { PageHead } from '../parts/page-head';
import { PairingCodeForm } from './pairing-code-form';

/** Again after a code that none waits for. */
export function PairingCodePage({ form }: { form: FormState }) {
  return (
    <>
      <PageHead heading="Approve a device" up={{ path: '/console/devices', text: 'Devices' }} />
      <PairingCodeForm form={form} />
    </>
  );
}
