/** Keeps a second press from asking again what the first has asked: its answer would never be seen. */

/** @type {WeakSet<EventTarget>} */
let submitted = new WeakSet();

// A button that is disabled in this moment would not send its value.
addEventListener('submit', (event) => {
  if (!event.target) return;
  const { target } = event;
  if (submitted.has(target)) event.preventDefault();
  // A script that sends it by itself prevents it in this turn, after this listener.
  setTimeout(() => {
    if (!event.defaultPrevented) submitted.add(target);
  });
});

// Back to the page as it was left.
addEventListener('pageshow', () => {
  submitted = new WeakSet();
});

export {};
