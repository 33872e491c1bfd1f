import { DEVICE_REFERENCE_PATH, REFERENCE_PATH } from '../site/page-catalog';

/** What distinguishes the reference of an OpenAPI document from the others. */
export interface ReferenceDefinition {
  title: string;
  /** Path of its first page. */
  path: string;
  /** Path of the document. */
  documentPath: string;
  /** What its first page says about the calls that it sends, as Markdown. */
  lead: string;
  /** Whether a reader can send calls that require a device: its token, or a signature with its key. */
  sendsDeviceCalls: boolean;
}

export const API_REFERENCE: ReferenceDefinition = {
  title: 'API reference',
  path: REFERENCE_PATH,
  documentPath: '/external/v1/openapi.json',
  lead: 'The pages show each operation with its fields, errors and samples, and send it from your browser.',
  sendsDeviceCalls: true,
};

/** Most of its calls send ciphertext and signatures, which only a device can create. */
export const DEVICE_API_REFERENCE: ReferenceDefinition = {
  title: 'Device API reference',
  path: DEVICE_REFERENCE_PATH,
  documentPath: '/v1/openapi.json',
  lead:
    'The pages show each operation with its fields, errors and samples. They send only calls that need no device: ' +
    'the others require the token of a signed-in device or a signature with its key. ' +
    '[Scripts](/docs/getting-started) use the [External API](/docs/reference) instead.',
  sendsDeviceCalls: false,
};
