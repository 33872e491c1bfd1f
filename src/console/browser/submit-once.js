/** Keeps a second press from asking again what the first has asked: its answer would never be seen. */

/** @type {WeakSet<EventTarget>} */
let submitted = new WeakSet();

// A button that is disabled in this moment would not send its value.
addEventListener('submit', (event) => {
  if (!event.target) return;
  if (submitted.has(event.target)) event.preventDefault();
  submitted.add(event.target);
});

// Back to the page as it was left.
addEventListener('pageshow', () => {
  submitted = new WeakSet();
});

export {};
