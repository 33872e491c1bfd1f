import { invalidBodyError } from '../../../common/errors';
import type { WebhookDto } from '../../../modules/webhooks';
import { getFormList, getFormText } from '../forms/form-state';
import { getFormField, type FormFields } from '../html/read-page-form';

/** Field of the form for an existing webhook. */
export const REMOVE_HEADERS_FIELD = 'removeHeaders';

/** Returns the fields of `CreateWebhookDto`. */
export function toWebhookInput(form: FormFields): Record<string, unknown> {
  return {
    url: getFormText(form, 'url'),
    events: getFormList(form, 'events'),
    description: getFormText(form, 'description'),
    format: getFormText(form, 'format'),
    headers: parseHeaderLines(getFormField(form, 'headers')),
  };
}

/** Returns the fields of `UpdateWebhookDto`. An empty description clears it. Without headers, the present ones stay. */
export function toWebhookChanges(form: FormFields): Record<string, unknown> {
  const { headers, ...fields } = toWebhookInput(form);
  return {
    ...fields,
    url: getFormField(form, 'url').trim(),
    description: getFormField(form, 'description').trim(),
    headers: headers ?? (getFormText(form, REMOVE_HEADERS_FIELD) ? {} : undefined),
  };
}

/** Returns the form's fields for an existing webhook. The values of its headers can't be shown. */
export function toWebhookFormFields({ url, events, description, format }: WebhookDto): FormFields {
  return { url, events, description: description ?? '', format };
}

/**
 * Parses a header per line, such as `Authorization: Bearer …`; undefined without any.
 * @throws ApiError 400 for a line that is none, and for a header that is there twice
 */
function parseHeaderLines(text: string): Record<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon < 1) throw invalidHeaders(`has no name and colon in line ${index + 1}`);
    const name = line.slice(0, colon).trim();
    if (headers.has(name)) throw invalidHeaders(`has the header of line ${index + 1} twice`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers.size > 0 ? Object.fromEntries(headers) : undefined;
}

const invalidHeaders = (problem: string) => invalidBodyError('/headers', 'invalid_format', problem);
