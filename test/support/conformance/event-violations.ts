import { getCurrentValidator } from './conformance-validator';

/** Headers by lower-case name. */
type DeliveryHeaders = Record<string, string>;

const violations: string[] = [];

/** Validates a delivery of this build against the document. A violation fails the present test when it ends. */
export function recordDelivery(headers: DeliveryHeaders, payload: { type: string }): void {
  recordViolation(getCurrentValidator().findDeliveryViolation(headers, payload));
}

/** Validates an event of a stream of this build, like `recordDelivery`. @param url of the stream */
export function recordStreamEvent(url: string, type: string, data: unknown): void {
  recordViolation(getCurrentValidator().findStreamEventViolation(new URL(url).pathname, type, data));
}

/** @throws Error with the violations since the last call */
export function throwEventViolations(): void {
  const found = violations.splice(0);
  if (found.length > 0) throw new Error(found.join('\n\n'));
}

/** The service that sends an event can't be failed, nor the code that reads it. */
function recordViolation(violation: string | null): void {
  if (violation) violations.push(violation);
}
