/** Progressive enhancement of every console page. The pages also work without it. */
import { offerCopying, showLocalTimes } from './lib/enhancements';
import './submit-once';

showLocalTimes(document);
offerCopying(document);
leaveSecretBehind();

/** Replaces the URL so that a reload shows the page without the secret instead of resending the form. */
function leaveSecretBehind(): void {
  const shown = document.querySelector('[data-leads-to]');
  if (shown instanceof HTMLElement) history.replaceState(null, '', shown.dataset.leadsTo);
}

// Escape and a click outside close the open confirmation.
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  const open = findOpenConfirmation();
  if (!open) return;
  open.open = false;
  open.querySelector('summary')?.focus();
});
addEventListener('click', (event) => {
  const open = findOpenConfirmation();
  if (open && event.target instanceof Node && !open.contains(event.target)) open.open = false;
});

function findOpenConfirmation(): HTMLDetailsElement | null {
  return document.querySelector('details.ask[open]');
}
