import { DEVICE_ANSWERS, type DocumentedAnswers } from './generated/device-answers';

export type { DocumentedAnswers };

/**
 * Returns the documented answers to a call of the device API.
 * @param path with or without a query
 * @throws Error when the document has no such call
 */
export function findDeviceAnswers(method: string, path: string): DocumentedAnswers {
  const segments = path.split('?', 1)[0]!.split('/');
  for (const [call, answers] of Object.entries(DEVICE_ANSWERS)) {
    const [documentedMethod, template = ''] = call.split(' ');
    const names = template.split('/');
    const isPath =
      names.length === segments.length && names.every((name, n) => name === segments[n] || name[0] === '{');
    if (isPath && documentedMethod === method) return answers;
  }
  throw new Error(`The protocol has no call ${method} ${path}.`);
}
