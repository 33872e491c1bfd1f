/** Fills in the pairing code from the URL fragment of a scanned QR code. */

const [, code] = /^#code=([\w-]{1,32})$/.exec(location.hash) ?? [];
const field = document.querySelector('input[name=code]');
if (code && field instanceof HTMLInputElement) {
  field.value = code;
  history.replaceState(null, '', location.pathname);
  field.focus();
}

export {};
