/** Prevents submitting a form twice: the response to the first request would be lost. */

let submitted = new WeakSet<EventTarget>();

// Not done by disabling the button: a disabled button does not send its value.
addEventListener('submit', (event) => {
  if (!event.target) return;
  const { target } = event;
  if (submitted.has(target)) event.preventDefault();
  // A script that submits the form itself prevents the default after this listener, in the same task.
  setTimeout(() => {
    if (!event.defaultPrevented) submitted.add(target);
  });
});

// The page was restored from the back/forward cache.
addEventListener('pageshow', () => {
  submitted = new WeakSet();
});
