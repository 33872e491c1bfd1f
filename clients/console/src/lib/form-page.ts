/** Helpers of the sign-in pages, and of others whose actions lead to another page. */

type Action = () => void | Promise<void>;

export function getElement(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
}

export const getForm = (id: string) => getElement(id) as HTMLFormElement;

/** Returns the trimmed text of a field. */
export function getFieldText(form: HTMLFormElement, name: string): string {
  const input = form.elements.namedItem(name) as HTMLInputElement | null;
  return input?.value.trim() ?? '';
}

export function showText(id: string, text: string): void {
  getElement(id).textContent = text;
}

/** Shows one of the page's steps and hides the others. */
export function showStep(step: string | null, steps: readonly string[]): void {
  for (const id of steps) getElement(id).hidden = id !== step;
  if (step) getElement(step).querySelector('h2')?.focus();
}

/** Opens the page's return path, which the server has validated to be a console page. */
export async function leavePage(): Promise<void> {
  const to = getElement('card').dataset.return ?? '/console';
  // A pairing code from a QR code stays in the fragment, which is not sent to the server.
  await openPage(/^#code=[\w-]{1,32}$/.test(location.hash) ? to + location.hash : to);
}

/** @param problem null hides the message */
export function showProblem(problem: unknown): void {
  const box = getElement('problem');
  box.hidden = problem === null;
  box.textContent = problem instanceof Error ? problem.message : String((problem as string | null) ?? '');
  if (problem) box.scrollIntoView({ block: 'nearest' });
}

/** Requests persistent storage for the keys. Not awaited, since the browser may wait for the user's permission. */
export function requestPersistentStorage(): void {
  void navigator.storage.persist().catch(() => {});
}

/** Runs an action with a progress message, disabled buttons, and an error message if it fails. */
export async function runAction(progress: string, act: Action): Promise<void> {
  const buttons = [...document.querySelectorAll('button')].filter((button) => !button.disabled);
  showProblem(null);
  showText('progress', progress);
  for (const button of buttons) button.disabled = true;
  try {
    await act();
  } catch (error) {
    showProblem(error);
  } finally {
    showText('progress', '');
    for (const button of buttons) button.disabled = false;
  }
}

export function onSubmit(id: string, progress: string, act: (form: HTMLFormElement) => void | Promise<void>): void {
  const form = getForm(id);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void runAction(progress, () => act(form));
  });
}

/** @param id of the button */
export function onPress(id: string, progress: string, act: Action): void {
  getElement(id).addEventListener('click', () => void runAction(progress, act));
}

/** Opens another page, and keeps an action's buttons disabled until it loads, so that nothing is done twice. */
export async function openPage(address: string): Promise<void> {
  location.assign(address);
  await waitForReturn();
}

/** Keeps an action's buttons disabled until the next page loads. Resolves if the browser comes back to this page. */
export function waitForReturn(): Promise<unknown> {
  return new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }));
}
