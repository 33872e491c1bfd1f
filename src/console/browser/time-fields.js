/** Fields of time hold UTC where they come from and where they go, and the person's own time in between. */

const TO_THE_MINUTE = 'YYYY-MM-DDTHH:MM'.length;
const MINUTE_MS = 60_000;

for (const field of fieldsIn(document)) {
  const at = new Date(`${field.value}Z`);
  if (!Number.isNaN(at.getTime())) field.value = toField(at.getTime() - at.getTimezoneOffset() * MINUTE_MS);
  const hint = document.getElementById(`${field.name}-hint`);
  if (hint) hint.textContent = 'In your own time';
}

addEventListener('formdata', ({ target, formData }) => {
  for (const field of fieldsIn(/** @type {HTMLFormElement} */ (target))) {
    const at = new Date(field.value);
    if (!Number.isNaN(at.getTime())) formData.set(field.name, toField(at.getTime()));
  }
});

/**
 * @param {ParentNode} within
 * @returns {HTMLInputElement[]}
 */
function fieldsIn(within) {
  return [...within.querySelectorAll('input')].filter((field) => field.dataset.utc !== undefined);
}

/** @param {number} at */
function toField(at) {
  return new Date(at).toISOString().slice(0, TO_THE_MINUTE);
}

export {};
