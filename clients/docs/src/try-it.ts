/** Sends the operation of the page from the browser. */
import { readRequest, restoreCredential, storeCredential, UnreadableFormError } from './try-it/request-form';
import { ResponseView } from './try-it/response-view';

const dialog = document.querySelector<HTMLDialogElement>('dialog#try-it');
if (dialog) enableTryIt(dialog, dialog.querySelector('form')!);

function enableTryIt(element: HTMLDialogElement, form: HTMLFormElement): void {
  const view = new ResponseView(form);
  const send = form.querySelector<HTMLButtonElement>('button[type="submit"]')!;
  const stop = form.querySelector<HTMLButtonElement>('button[data-stop]')!;
  let running: AbortController | undefined;
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-opens="try-it"]')) {
    button.hidden = false;
    button.addEventListener('click', () => {
      prepareForm(form);
      element.showModal();
    });
  }
  form.querySelector('[data-closes]')!.addEventListener('click', () => element.close());
  element.addEventListener('close', () => running?.abort());
  stop.addEventListener('click', () => running?.abort());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void sendRequest();
  });

  async function sendRequest(): Promise<void> {
    if (running) return;
    const abort = new AbortController();
    running = abort;
    send.disabled = true;
    stop.disabled = false;
    try {
      replaceAnsweredIds(form);
      const { url, options } = readRequest(form);
      storeCredential(form);
      const response = fetch(url, { ...options, signal: abort.signal });
      const isAnswered = response.then(isStoredAnswer, () => false);
      await view.showResponse(response, abort.signal);
      if (await isAnswered) markAnsweredIds(form);
    } catch (error) {
      view.showFailure(error instanceof UnreadableFormError ? error.message : 'The request failed: no response.');
    } finally {
      running = undefined;
      send.disabled = false;
      stop.disabled = true;
    }
  }
}

/** Fills in the credential of this tab, and a new id for a new call. */
function prepareForm(form: HTMLFormElement): void {
  restoreCredential(form);
  for (const input of listIdInputs(form)) if (input.value === '') fillId(input);
}

/**
 * Whether the service repeats this answer to the same id. After any other, an earlier attempt may have run, which only
 * the same id repeats safely (docs/guide/relay.md#at-most-once).
 */
async function isStoredAnswer(response: Response): Promise<boolean> {
  if (response.ok) return true;
  const body = response.clone().json() as Promise<{ code?: string; outcome?: string } | null>;
  const problem = await body.catch(() => null);
  return problem?.outcome === 'answered' || problem?.code === 'idempotency_key_reused';
}

/** After such an answer, sending again is a new call. */
function markAnsweredIds(form: HTMLFormElement): void {
  for (const input of listIdInputs(form)) input.dataset.answered = input.dataset.filled;
}

/** Replaces ids of answered calls, but none that the reader has typed. */
function replaceAnsweredIds(form: HTMLFormElement): void {
  for (const input of listIdInputs(form)) if (input.value === input.dataset.answered) fillId(input);
}

function listIdInputs(form: HTMLFormElement): NodeListOf<HTMLInputElement> {
  return form.querySelectorAll<HTMLInputElement>('input[data-fresh="uuid"]');
}

function fillId(input: HTMLInputElement): void {
  // Browsers have it on https and localhost only.
  if (typeof crypto.randomUUID !== 'function') return;
  input.value = crypto.randomUUID();
  input.dataset.filled = input.value;
}
