/** Shows date-time fields in local time. The server renders and receives UTC. */

const TO_THE_MINUTE = 'YYYY-MM-DDTHH:MM'.length;
const MINUTE_MS = 60_000;

for (const field of findTimeFields(document)) {
  const at = new Date(`${field.value}Z`);
  if (!Number.isNaN(at.getTime())) field.value = formatFieldValue(at.getTime() - at.getTimezoneOffset() * MINUTE_MS);
  const hint = document.getElementById(`${field.name}-hint`);
  if (hint) hint.textContent = 'In your local time';
}

addEventListener('formdata', ({ target, formData }) => {
  for (const field of findTimeFields(target as HTMLFormElement)) {
    const at = new Date(field.value);
    if (!Number.isNaN(at.getTime())) formData.set(field.name, formatFieldValue(at.getTime()));
  }
});

function findTimeFields(within: ParentNode): HTMLInputElement[] {
  return [...within.querySelectorAll('input')].filter((field) => field.dataset.utc !== undefined);
}

function formatFieldValue(at: number): string {
  return new Date(at).toISOString().slice(0, TO_THE_MINUTE);
}
