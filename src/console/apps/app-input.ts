import type { DeveloperAppRecord } from '../../developer-apps';
import { textOf } from '../forms/form-state';
import { fieldOf, type FormFields } from '../html/read-form';

/** The fields of `CreateDeveloperAppDto`; the form holds all that an app has, so that an empty one removes it. */
export function appInput(form: FormFields): Record<string, unknown> {
  const uris = linesOf(fieldOf(form, 'redirectUris'));
  return {
    name: textOf(form, 'name'),
    description: fieldOf(form, 'description').trim(),
    homepageUrl: fieldOf(form, 'homepageUrl').trim(),
    redirectUris: uris.length > 0 ? uris : undefined,
  };
}

/** The form's fields as they stand for an app. */
export function appFields(app: DeveloperAppRecord): FormFields {
  return {
    name: app.name,
    description: app.description ?? '',
    homepageUrl: app.homepageUrl ?? '',
    redirectUris: app.redirectUris.join('\n'),
  };
}

function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
