import type { ContentCaller } from '../sessions';

/** Who receives events: the owner of a webhook. */
export type EventRecipient = ContentCaller;
