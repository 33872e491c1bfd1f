/** Error about what the reader has entered. */
export class UnreadableFormError extends Error {}

interface FormRequest {
  url: string;
  options: RequestInit;
}

/**
 * Reads the request from the form. It goes to the host of the page, without the cookies of the console.
 * @throws UnreadableFormError for a body that is not JSON
 */
export function readRequest(form: HTMLFormElement): FormRequest {
  const { method, path, credential } = form.dataset as { method: string; path: string; credential?: string };
  const fields = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' ? [{ name, value }] : [],
  );
  const filled = (place: string) =>
    fields.flatMap(({ name, value }): [string, string][] =>
      name.startsWith(`${place}.`) && value !== '' ? [[name.slice(place.length + 1), value]] : [],
    );
  const pathValues = new Map(filled('path'));
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathValues.get(name) ?? ''));
  const query = new URLSearchParams(filled('query')).toString();
  const headers = new Headers(filled('header'));
  const token = fields.find(({ name }) => name === 'credential')?.value.trim();
  if (credential && token) headers.set('Authorization', `Bearer ${token}`);
  return {
    url: query ? `${url}?${query}` : url,
    options: {
      method,
      headers,
      body: readBody(form, filled('form'), headers),
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      redirect: 'manual',
    },
  };
}

function readBody(form: HTMLFormElement, formFields: [string, string][], headers: Headers): BodyInit | null {
  const textarea = form.querySelector<HTMLTextAreaElement>('textarea[name="body"]');
  if (!textarea) return formFields.length > 0 ? new URLSearchParams(formFields) : null;
  try {
    JSON.parse(textarea.value);
  } catch (error) {
    throw new UnreadableFormError(`The body is not valid JSON: ${(error as Error).message}`);
  }
  headers.set('Content-Type', 'application/json');
  return textarea.value;
}

/** Session storage ends with the tab. It has one place for tokens of scripts and one for those of devices. */
const getStorageKey = (form: HTMLFormElement) => `docs-${form.dataset.credential}`;

export function restoreCredential(form: HTMLFormElement): void {
  const input = findCredentialInput(form);
  if (!input || input.value !== '') return;
  try {
    input.value = sessionStorage.getItem(getStorageKey(form)) ?? '';
  } catch {
    // The browser denies storage, so the reader enters it again.
  }
}

export function storeCredential(form: HTMLFormElement): void {
  const input = findCredentialInput(form);
  if (!input) return;
  try {
    sessionStorage.setItem(getStorageKey(form), input.value);
  } catch {
    // The form keeps it until the page is left.
  }
}

function findCredentialInput(form: HTMLFormElement): HTMLInputElement | null {
  return form.querySelector('input[name="credential"]');
}
